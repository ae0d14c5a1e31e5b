// A served page: facts and frames come through a socket, and questions go back. The token is in the address's fragment,
// which browsers do not send
import {Assembly, checkedFacts} from '../blocks.js';
import {button, grouped, make} from '../dom.js';
import {parseFrame, refuse} from '../frames.js';
import {Port} from '../notebook/port.js';

/** @typedef {{place: number, name: string, distance: number, kept?: boolean}} NamedNeighbor */

export class Link {
  /** @param {WebSocket & {follow?: (scene: import('../scene.js').Scene, link: Link) => void}} socket */
  constructor(socket) {
    this.socket = socket;
    this.serial = 0;
    /** @type {Map<number, (answer: any) => void>} */
    this.waiting = new Map();
    this.hello = {content: 0, moves: false, names: false, shepard: false, selection: ''};
    /** @type {(string | ArrayBuffer)[]} */
    this.queue = [];
    this.wake = () => {};
    this.open = true;
    this.rested = 0;
    socket.binaryType = 'arraybuffer';
    socket.onmessage = ({data}) => { this.queue.push(data); this.wake(); };
    socket.onclose = () => { this.open = false; this.wake(); };
  }

  /**
   * The next message.
   * @returns {Promise<string | ArrayBuffer>}
   */
  async next() {
    while (this.queue.length === 0) {
      if (!this.open) refuse('the server refused the page or has ended; open the address that dunlin prints');
      await new Promise(resolve => { this.wake = () => resolve(undefined); });
    }
    // Large maps take a second: hands and pictures go on meanwhile
    if (!document.hidden && Date.now() > this.rested + 50) {
      await new Promise(resolve => setTimeout(resolve));
      this.rested = Date.now();
    }
    return /** @type {string | ArrayBuffer} */ (this.queue.shift());
  }

  /**
   * The frames of a content.
   * @param {any} given facts @param {any} server @param {(share: number) => void} progress
   */
  async read(given, server, progress) {
    const facts = checkedFacts(given), assembly = new Assembly(facts);
    this.hello = server;
    for (let i = 0; i < server.frames; ++i) {
      const data = await this.next();
      if (!(data instanceof ArrayBuffer)) refuse('a frame was expected');
      await assembly.add(parseFrame(new Uint8Array(data)));
      progress(assembly.progress);
    }
    document.title = facts.title;
    return {facts, cloud: assembly.finished()};
  }

  /**
   * Takes what comes, until the end.
   * @param {import('./live.js').Live} live
   */
  async listen(live) {
    try {
      while (this.open || this.queue.length) {
        const data = await this.next();
        if (typeof data !== 'string') { live.take(parseFrame(new Uint8Array(data))); continue; }
        const message = textOf(data);
        if (message.status !== undefined) live.tell(message);
        else if (message.facts) {
          this.drop('the map has changed');
          const {facts, cloud} = await this.read(message.facts, message.server, () => {});
          live.replace(facts, cloud);
        } else {
          this.waiting.get(message.serial)?.(message);
          this.waiting.delete(message.serial);
        }
      }
    } catch (error) {
      if (!this.open) return live.ended();
      this.socket.close();
      live.say(String(error));
      throw error;
    }
    live.ended();
  }

  /** @param {Record<string, unknown>} message */
  send(message) { if (this.socket.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message)); }

  /**
   * The answer to a question; one with `error` if there is none.
   * @param {Record<string, unknown>} question
   * @returns {Promise<any>}
   */
  ask(question) {
    if (this.socket.readyState !== WebSocket.OPEN) return Promise.resolve({error: 'the server has ended'});
    const serial = ++this.serial;
    this.send({...question, serial, content: this.hello.content});
    return new Promise(resolve => this.waiting.set(serial, resolve));
  }

  /** @param {string} error of the questions without an answer */
  drop(error) {
    for (const resolve of this.waiting.values()) resolve({error});
    this.waiting.clear();
  }

  /**
   * Sends the selection as bits.
   * @param {Uint8Array} chosen
   */
  sendSelection(chosen) {
    const bits = new Uint8Array(chosen.length + 7 >> 3), part = 32768;
    chosen.forEach((v, place) => { bits[place >> 3] |= v << (place & 7); });
    for (let first = 0; first < bits.length; first += part) {
      const some = bits.subarray(first, first + part), message = new Uint8Array(4 + some.length);
      new DataView(message.buffer).setUint32(0, first, true);
      message.set(some, 4);
      this.socket.send(message);
    }
  }
}

/**
 * Waits for the first map.
 * @param {(share: number, text?: string) => void} progress
 */
export async function connect(progress) {
  // Only the page inside a notebook has the script of Port
  const link = new Link(typeof Port === 'undefined'
                          ? new WebSocket(`ws://${location.host}/socket`, ['dunlin.1', 't.' + location.hash.slice(1)])
                          : Port.asSocket());
  for (;;) {
    const {facts, server, status} = textOf(await link.next());
    if (status) progress(status.done / Math.max(status.total, 1), statusText(status));
    if (status !== undefined) continue;
    if (facts) return {...await link.read(facts, server, progress), link};
    else refuse('facts were expected first');
  }
}

/** @param {string | ArrayBuffer} data @returns {any} */
function textOf(data) {
  const text = typeof data === 'string' ? JSON.parse(data) : null;
  if (!text || typeof text !== 'object') refuse('a text was expected');
  return text;
}

/** @param {{stage: string, done: number, total: number, cost?: number}} status */
export const statusText = ({stage, done, total, cost}) => stage +
  (total > 1 ? `: ${grouped(done)} of ${grouped(total)}` : '') +
  (cost === undefined ? '' : `, cost ${cost.toPrecision(4)}`);

/**
 * What a served page adds: neighbors of a point in map and data, search on the server, and a file of selected points.
 * @param {Link} link
 * @param {import('../scene.js').Scene} scene
 * @param {(place: number) => void} go
 * @returns {import('../page.js').Server}
 */
export function serverOf(link, scene, go) {
  const row = (/** @type {NamedNeighbor} */ neighbor) => {
    const kept = neighbor.kept ? '✓' : '';
    return make('tr', {}, make('td', {}, button(neighbor.name, '', () => go(neighbor.place))),
                make('td', {textContent: kept, title: kept ? 'also near in the map' : ''}),
                make('td', {textContent: neighbor.distance.toPrecision(4)}));
  };
  const table = (/** @type {string} */ title, /** @type {NamedNeighbor[]} */ neighbors) =>
    [make('div', {className: 'small', textContent: title}), make('table', {}, ...neighbors.map(row))];
  return {
    async describe(place) {
      const answer = await link.ask({ask: 'point', place});
      if (answer.error) return [make('p', {className: 'small', textContent: answer.error})];
      if (scene.marked === place) {
        scene.neighbors = answer.neighbors.map((/** @type {NamedNeighbor} */ n) => n.place);
        scene.dataNeighbors = (answer.dataNeighbors || []).map((/** @type {NamedNeighbor} */ n) => n.place);
      }
      const data = answer.dataNeighbors ? [
        make('p', {textContent: `${answer.kept} of its ${answer.dataNeighbors.length} nearest in the data are ` +
                                `among the ${answer.neighbors.length} nearest in the map`}),
        ...table('nearest in the data', answer.dataNeighbors)] : [];
      return [...data, ...table('nearest in the map', answer.neighbors)];
    },
    async search(text) {
      if (scene.cloud.ids || scene.facts.of) return [];
      const answer = await link.ask({ask: 'search', text});
      return (answer.hits || []).map((/** @type {{text: string, place: number}} */ hit) => ({...hit, label: -1}));
    },
    selection() {
      if (!link.hello.selection) return [];
      const save = button('to ' + link.hello.selection, '', async () => {
        if (!scene.chosen) return;
        link.sendSelection(scene.chosen);
        const answer = await link.ask({ask: 'save'});
        save.textContent = answer.error || `${grouped(answer.saved)} written`;
      });
      return [save];
    },
  };
}
