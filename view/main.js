// Starts the page; what it says when it cannot
import {element} from './dom.js';
import {readFile} from './file.js';
import {connect} from './run/link.js';
import {Live} from './run/live.js';
import {openPage} from './page.js';
import {useWebGpu} from './webgpu/painter.js';

async function main() {
  const started = performance.now(), wait = element('wait'), bar = element('bar');
  try {
    const progress = (/** @type {number} */ share, text = '') => {
      bar.style.width = 100 * share + '%';
      if (text) /** @type {HTMLElement} */ (wait.firstElementChild).textContent = text;
    };
    const {facts, cloud, link} = document.getElementById('facts') ? {...await readFile(progress), link: null}
      : await connect(progress);
    const page = openPage(facts, cloud, link);
    const live = link && page.steer ? new Live(page.scene, link, page.steer, page) : null;
    Object.assign(window, {dunlin: Object.assign(page, {link, live, ready: performance.now() - started})});
    if (typeof useWebGpu === 'function') useWebGpu(page).catch(console.info);
    link?.socket.follow?.(page.scene, link);
    // The others of a sample wait until it is seen
    if (facts.of) await page.pace.whole();
    if (link && live) link.listen(live);
  } catch (error) {
    wait.classList.add('failed');
    wait.hidden = false;
    wait.textContent = 'This map cannot be shown. ' + (error instanceof Error ? error.message : error);
    throw error;
  }
}
main();
