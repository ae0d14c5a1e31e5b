// A film: pictures shown one after another, with a bar to play them, to choose one and to save them as a video
import {button, element, make} from '../dom.js';
import {download, fileName} from '../save.js';

/** A film has so many pictures a second, and takes so many seconds, or less. */
const mostRate = 25, longest = 12;
const videoTypes = ['video/webm;codecs=vp9', 'video/webm;codecs=vp8', 'video/webm'];

/**
 * @typedef {{of: string, item: string, present: string}} Words
 *   what the film is of, what a picture is, and the one after the last, which is present at first
 */

export class Player {
  /**
   * @param {import('../scene.js').Scene} scene
   * @param {(copy: HTMLCanvasElement, line: string) => void} paint
   * @param {Words} words
   */
  constructor(scene, paint, words) {
    this.scene = scene;
    this.paint = paint;
    this.words = words;
    this.shown = -1;  // picture that is on the page; -1: the present one
    this.playing = false;
    this.recording = false;
    /** @type {Blob | null} the last one that was saved */
    this.video = null;
    this.types = typeof MediaRecorder === 'undefined' || !HTMLCanvasElement.prototype.captureStream ? []
      : videoTypes.filter(type => MediaRecorder.isTypeSupported(type));
    this.play = button('play', `show the ${words.item}s of the ${words.of} one after another (F)`,
                       () => { if (this.playing) this.playing = false; else this.run(); });
    this.slider = /** @type {HTMLInputElement} */ (make('input', {
      type: 'range', min: '0', step: '1', title: `${words.item}s of the ${words.of}; the last one is: ${words.present}`,
    }));
    this.slider.setAttribute('aria-label', `${words.item} of the ${words.of}`);
    this.slider.addEventListener('input', () => { this.playing = false; this.show(Number(this.slider.value)); });
    this.text = make('output', {className: 'small'});
    this.save = button('save film', `save the ${words.item}s of the ${words.of} as a video (webm)`,
                       () => { if (this.recording) this.playing = false; else this.record(); });
    this.bar = make('div', {id: 'film', hidden: true}, this.play, this.slider, this.text, this.save);
    this.bar.setAttribute('role', 'toolbar');
    this.bar.setAttribute('aria-label', `film of the ${words.of}`);
    this.save.hidden = this.types.length === 0;
    element('steer').before(this.bar);
    addEventListener('keydown', e => {
      if (e.key.toLowerCase() === 'f' && !this.bar.hidden &&
          !(e.ctrlKey || e.metaKey || e.altKey || e.target instanceof HTMLInputElement))
        this.play.click();
    });
  }

  /** Number of pictures before the present one. */
  get length() { return 0; }
  /** @param {number} _i @returns {string} */
  caption(_i) { return ''; }
  /**
   * Shows a picture of the film; the one after the last is the present one.
   * @param {number} _i
   */
  async show(_i) {}
  /** Back to the present picture. */
  async end() {}

  update() {
    const {length, shown, slider} = this;
    this.bar.hidden = length < 2;
    slider.max = String(length);
    slider.value = String(shown < 0 ? length : shown);
    this.text.textContent = shown < 0 ? this.words.present : this.caption(shown);
    this.play.textContent = this.playing && !this.recording ? 'pause' : 'play';
    this.save.textContent = this.recording ? 'cancel' : 'save film';
  }

  /**
   * Shows the pictures from the one on the page, or from the first, at the rate of the film.
   * @param {() => void} [each] after every picture
   */
  async run(each = () => {}) {
    const pause = 1000 * Math.max(1 / mostRate, Math.min(longest / Math.max(this.length, 1), 0.2));
    const stride = Math.max(this.length / mostRate / longest, 1);
    this.playing = true;
    for (let at = Math.max(this.shown, 0); this.playing; at += stride) {
      const next = performance.now() + pause;
      await this.show(Math.floor(at));
      each();
      await new Promise(resolve => setTimeout(resolve, Math.max(next - performance.now(), 0)));
      if (this.shown < 0) this.playing = false;
    }
    this.update();
  }

  /** Plays the film from its beginning, and saves what is seen. */
  async record() {
    const {types} = this, copy = /** @type {HTMLCanvasElement} */ (make('canvas'));
    copy.getContext('2d', {alpha: false});
    this.recording = true;
    await this.show(0);
    this.paint(copy, this.text.textContent || '');
    const stream = copy.captureStream(0);
    const recorder = new MediaRecorder(stream, {mimeType: types[0], videoBitsPerSecond: 8e6});
    /** @type {Blob[]} */
    const parts = [];
    const track = /** @type {CanvasCaptureMediaStreamTrack} */ (stream.getVideoTracks()[0]);
    recorder.ondataavailable = ({data}) => { parts.push(data); };
    recorder.start();
    const add = () => {
      this.paint(copy, this.shown < 0 ? '' : this.text.textContent || '');
      track.requestFrame();
    };
    await this.run(add);
    const whole = this.shown < 0;
    // The last picture stays for a second
    for (let k = 0; whole && k < 5; ++k) {
      add();
      await new Promise(resolve => setTimeout(resolve, 200));
    }
    const stopped = new Promise(resolve => { recorder.onstop = resolve; });
    recorder.stop();
    await stopped;
    this.video = whole ? new Blob(parts, {type: 'video/webm'}) : null;
    if (this.video) download(this.video, fileName(this.scene.facts.title, '.webm'));
    await this.end();
    this.recording = false;
    this.update();
  }
}
