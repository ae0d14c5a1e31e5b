// The notebook's side of dunlin.view(), a module for anywidget. The page is in an <iframe> without access to the
// notebook; messages of the kernel are kept here, so that a page that is shown again needs no kernel

/**
 * What anywidget gives.
 * @typedef {object} Model
 * @property {(name: string) => any} get
 * @property {(event: string, callback: (...values: any[]) => void) => void} on
 * @property {(content: any, callbacks?: any, buffers?: ArrayBuffer[]) => void} send
 */
/**
 * @typedef {{
 *   kind: string, content: number, hello: string, frames: number, last: boolean, text: string, page: number
 * }} Message
 */

/** Maps on their way to a page: a slow one, or one that is hidden and draws nothing, misses maps. */
const mostInFlight = 2;

/** What the kernel has said. */
class Store {
  /** @param {Model} model */
  constructor(model) {
    this.model = model;
    this.content = 0;
    this.hello = '';
    this.expected = 0;
    /** @type {ArrayBuffer[]} */
    this.frames = [];
    /** @type {ArrayBuffer[]} of the newest map that moved, and of one that arrives */
    this.moved = [];
    /** @type {ArrayBuffer[]} */
    this.arriving = [];
    this.maps = 0;
    this.status = '';
    /** @type {Set<Page>} */
    this.pages = new Set();
    this.serial = 0;
    model.on('msg:custom', (message, buffers) => this.take(message, (buffers || []).map(ownBuffer)));
    model.send({have: 0});
  }

  get complete() { return this.content > 0 && this.frames.length === this.expected; }

  /** @param {Message} message @param {ArrayBuffer[]} buffers */
  take(message, buffers) {
    if (message.kind === 'content' && message.content !== this.content) {
      Object.assign(this, {content: message.content, hello: message.hello, expected: message.frames, frames: [],
                           moved: [], arriving: [], status: ''});
    } else if (message.kind === 'frames' && message.content === this.content && !this.complete) {
      this.frames.push(...buffers);
    } else if (message.kind === 'moved' && message.content === this.content) {
      this.arriving.push(...buffers);
      if (!message.last) return;
      this.moved = this.arriving;
      this.arriving = [];
      ++this.maps;
    } else if (message.kind === 'status') {
      this.status = message.text;
    } else if (message.kind === 'answer') {
      for (const page of this.pages) if (page.number === message.page) page.post(message.text);
      return;
    } else {
      return;
    }
    for (const page of this.pages) page.refresh();
  }
}

/** A page that is shown. */
class Page {
  /** @param {Store} store @param {Window} frame */
  constructor(store, frame) {
    const {port1, port2} = new MessageChannel();
    this.store = store;
    this.number = ++store.serial;
    this.port = port1;
    this.content = 0;
    this.maps = 0;
    this.status = '';
    this.inFlight = 0;
    port1.onmessage = ({data}) => this.take(data);
    frame.postMessage('dunlin', '*', [port2]);
    store.pages.add(this);
    this.refresh();
  }

  /** @param {string | ArrayBuffer} data */
  post(data) { this.port.postMessage(data); }

  /** Posts what is new. */
  refresh() {
    const {store} = this;
    if (store.complete && store.content !== this.content) {
      Object.assign(this, {content: store.content, maps: 0, inFlight: 0});
      if (store.moved.length === 0) this.maps = store.maps;
      [store.hello, ...store.frames].forEach(data => this.post(data));
    }
    if (store.status !== this.status) {
      this.status = store.status;
      if (this.status) this.post(this.status);
    }
    if (this.content !== store.content || store.maps === this.maps || store.moved.length === 0 ||
        this.inFlight >= mostInFlight)
      return;
    this.maps = store.maps;
    ++this.inFlight;
    store.moved.forEach(data => this.post(data));
  }

  /** @param {string | ArrayBuffer} data */
  take(data) {
    if (typeof data !== 'string') return this.store.model.send({selected: true}, undefined, [data]);
    if (data.startsWith('{"drawn":')) {
      this.inFlight = Math.max(this.inFlight - 1, 0);
      return this.refresh();
    }
    this.store.model.send({page: this.number, ask: data});
  }

  close() {
    this.store.pages.delete(this);
    this.port.close();
  }
}

/** @param {DataView | ArrayBuffer | Uint8Array} data @returns {ArrayBuffer} */
function ownBuffer(data) {
  if (data instanceof ArrayBuffer) return data;
  return /** @type {ArrayBuffer} */ (data.buffer).slice(data.byteOffset, data.byteOffset + data.byteLength);
}

/**
 * Whether the notebook is dark, by the luminance of its background.
 * @param {HTMLElement} el
 */
function isDark(el) {
  for (let at = /** @type {HTMLElement | null} */ (el); at; at = at.parentElement) {
    const [r, g, b, a = 1] = (getComputedStyle(at).backgroundColor.match(/[\d.]+/g) || []).map(Number);
    if (a > 0 && b !== undefined) return 0.299 * r + 0.587 * g + 0.114 * b < 128;
  }
  return false;
}

/** @type {Map<string, Store>} by the widget's key: initialize and render are given different models */
const stores = new Map();
/** @param {Model} model */
function storeOf(model) {
  const key = model.get('_key'), store = stores.get(key) || new Store(model);
  stores.set(key, store);
  return store;
}

export default {
  /** @param {{model: Model}} given */
  initialize({model}) {
    storeOf(model);
    return () => { stores.delete(model.get('_key')); };
  },

  /** @param {{model: Model, el: HTMLElement}} given */
  render({model, el}) {
    const store = storeOf(model), frame = document.createElement('iframe');
    /** @type {Page | null} */
    let page = null;
    Object.assign(frame, {title: 'map', srcdoc: model.get('_page')});
    frame.setAttribute('sandbox', 'allow-scripts allow-downloads');
    Object.assign(frame.style, {width: '100%', height: model.get('height') + 'px', border: '0', display: 'block',
                                colorScheme: isDark(el) ? 'dark' : 'light'});
    // A page that is taken out of the document and put back loads again
    frame.addEventListener('load', () => {
      page?.close();
      page = frame.contentWindow && new Page(store, frame.contentWindow);
    });
    model.on('change:height', () => { frame.style.height = model.get('height') + 'px'; });
    el.append(frame);
    return () => {
      page?.close();
      frame.remove();
    };
  },
};
