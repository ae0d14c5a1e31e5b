// A served page: facts and frames come through a socket, and questions go back. The token is in the address's fragment,
// which browsers do not send
import {Assembly, checkedFacts} from './blocks.js';
import {grouped, make, element} from './dom.js';
import {parseFrame, refuse} from './frames.js';

/** @typedef {{place: number, name: string, distance: number, kept?: boolean}} NamedNeighbor */

export class Link {
  /** @param {WebSocket} socket */
  constructor(socket) {
    this.socket = socket;
    this.serial = 0;
    /** @type {Map<number, (answer: any) => void>} */
    this.waiting = new Map();
    this.hello = {neighbors: false, selection: '', frames: 0};
  }

  /**
   * The answer to a question; one with `error` if there is none.
   * @param {Record<string, unknown>} question
   * @returns {Promise<any>}
   */
  ask(question) {
    if (this.socket.readyState !== WebSocket.OPEN) return Promise.resolve({error: 'the server has ended'});
    const serial = ++this.serial;
    this.socket.send(JSON.stringify({...question, serial}));
    return new Promise(resolve => this.waiting.set(serial, resolve));
  }

  /** @param {any} answer */
  take(answer) {
    const resolve = this.waiting.get(answer?.serial);
    this.waiting.delete(answer?.serial);
    if (resolve) resolve(answer);
  }

  closed() {
    for (const resolve of this.waiting.values()) resolve({error: 'the server has ended'});
    this.waiting.clear();
    element('note').textContent = 'the server has ended; what is here stays';
  }

  /**
   * Sends the selection as bits and has it written to the server's file.
   * @param {Uint8Array} chosen
   */
  save(chosen) {
    const bits = new Uint8Array(chosen.length + 7 >> 3), part = 32768;
    chosen.forEach((v, place) => { bits[place >> 3] |= v << (place & 7); });
    for (let first = 0; first < bits.length; first += part) {
      const some = bits.subarray(first, first + part), message = new Uint8Array(4 + some.length);
      new DataView(message.buffer).setUint32(0, first, true);
      message.set(some, 4);
      this.socket.send(message);
    }
    return this.ask({ask: 'save'});
  }
}

/**
 * Reads all frames.
 * @param {(share: number) => void} progress
 */
export async function connect(progress) {
  const token = location.hash.slice(1), socket = new WebSocket(`ws://${location.host}/socket`, ['dunlin.1', 't.' + token]);
  socket.binaryType = 'arraybuffer';
  /** @type {(string | ArrayBuffer)[]} */
  const queue = [];
  let wake = () => {}, open = true, loaded = false;
  const link = new Link(socket);
  socket.onmessage = ({data}) => {
    if (loaded) return typeof data === 'string' ? link.take(JSON.parse(data)) : undefined;
    queue.push(data);
    wake();
  };
  socket.onclose = () => {
    open = false;
    wake();
    if (loaded) link.closed();
  };
  const next = async () => {
    while (queue.length === 0) {
      if (!open) refuse('the server refused the page or has ended; open the address that dunlin view prints');
      await new Promise(resolve => { wake = () => resolve(undefined); });
    }
    return queue.shift();
  };
  const first = await next();
  if (typeof first !== 'string') refuse('facts were expected first');
  const {facts: given, server} = JSON.parse(first), facts = checkedFacts(given), assembly = new Assembly(facts);
  link.hello = server;
  for (let i = 0; i < server.frames; ++i) {
    const data = await next();
    if (!(data instanceof ArrayBuffer)) refuse('a frame was expected');
    await assembly.add(parseFrame(new Uint8Array(data)));
    progress(assembly.progress);
  }
  loaded = true;
  document.title = facts.title;
  return {facts, cloud: assembly.finished(), link};
}

/**
 * What a served page adds: neighbors of a point in map and data, search on the server, and a file of selected points.
 * @param {Link} link
 * @param {import('./scene.js').Scene} scene
 * @param {(place: number) => void} go
 * @returns {import('./page.js').Server}
 */
export function serverOf(link, scene, go) {
  const row = (/** @type {NamedNeighbor} */ neighbor) => {
    const name = make('button', {type: 'button', textContent: neighbor.name}), kept = neighbor.kept === undefined ? '' : neighbor.kept ? '✓' : '';
    name.addEventListener('click', () => go(neighbor.place));
    return make('tr', {}, make('td', {}, name), make('td', {textContent: kept, title: kept ? 'also near in the map' : ''}), make('td', {textContent: neighbor.distance.toPrecision(4)}));
  };
  const table = (/** @type {string} */ title, /** @type {NamedNeighbor[]} */ neighbors) => [make('div', {className: 'small', textContent: title}), make('table', {}, ...neighbors.map(row))];
  return {
    async describe(place) {
      const answer = await link.ask({ask: 'point', place});
      if (answer.error) return [make('p', {className: 'small', textContent: answer.error})];
      if (scene.marked === place) {
        scene.neighbors = answer.neighbors.map((/** @type {NamedNeighbor} */ n) => n.place);
        scene.dataNeighbors = (answer.dataNeighbors || []).map((/** @type {NamedNeighbor} */ n) => n.place);
      }
      const data = answer.dataNeighbors ? [
        make('p', {textContent: `${answer.kept} of its ${answer.dataNeighbors.length} nearest in the data are among the ${answer.neighbors.length} nearest in the map`}),
        ...table('nearest in the data', answer.dataNeighbors)] : [];
      return [...data, ...table('nearest in the map', answer.neighbors)];
    },
    async search(text) {
      if (scene.cloud.ids) return [];
      const answer = await link.ask({ask: 'search', text});
      return (answer.hits || []).map((/** @type {{text: string, place: number}} */ hit) => ({...hit, label: -1}));
    },
    selection: link.hello.selection ? () => {
      const save = make('button', {type: 'button', textContent: 'to ' + link.hello.selection});
      save.addEventListener('click', async () => {
        if (!scene.chosen) return;
        const answer = await link.save(scene.chosen);
        save.textContent = answer.error || `${grouped(answer.saved)} written`;
      });
      return [save];
    } : null,
  };
}
