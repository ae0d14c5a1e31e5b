// The page inside a notebook: a port of the notebook's page (widget.js) in place of a socket

export class Port {
  /**
   * A socket for Link.
   * @returns {WebSocket & {follow: (scene: import('../scene.js').Scene, link: import('../run/link.js').Link) => void}}
   */
  static asSocket() { return /** @type {any} */ (new Port()); }

  constructor() {
    this.readyState = WebSocket.CONNECTING;
    this.binaryType = '';
    /** @type {((event: {data: string | ArrayBuffer}) => void) | null} */
    this.onmessage = null;
    /** @type {(() => void) | null} */
    this.onclose = null;
    /** @type {MessagePort | null} */
    this.port = null;
    addEventListener('message', ({source, data, ports}) => {
      if (source !== parent || data !== 'dunlin' || this.port || ports.length !== 1) return;
      this.port = ports[0];
      this.port.onmessage = ({data}) => data === null ? this.close() : this.onmessage?.({data});
      this.readyState = WebSocket.OPEN;
    });
  }

  /** @param {string | ArrayBuffer | Uint8Array} data */
  send(data) { this.port?.postMessage(data); }

  close() {
    this.port?.close();
    this.readyState = WebSocket.CLOSED;
    this.onclose?.();
  }

  /**
   * Sends every selection: the number of the content (32 bits), and a bit per place if anything is selected.
   * @param {import('../scene.js').Scene} scene @param {import('../run/link.js').Link} link
   */
  follow(scene, link) {
    let sent = scene.chosen;
    scene.listeners.push(() => {
      const {chosen} = scene;
      if (chosen === sent) return;
      sent = chosen;
      const message = new Uint8Array(4 + (chosen ? chosen.length + 7 >> 3 : 0));
      new DataView(message.buffer).setUint32(0, link.hello.content, true);
      chosen?.forEach((v, place) => { message[4 + (place >> 3)] |= v << (place & 7); });
      this.send(message.buffer);
    });
  }
}
