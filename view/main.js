// Starts the page; what it says when it cannot
import {element} from './dom.js';
import {readFile} from './file.js';
import {connect, serverOf} from './link.js';
import {openPage} from './page.js';

async function main() {
  const started = performance.now(), wait = element('wait'), bar = element('bar');
  try {
    const progress = (/** @type {number} */ share) => { bar.style.width = 100 * share + '%'; };
    const {facts, cloud, link} = document.getElementById('facts') ? {...await readFile(progress), link: null} : await connect(progress);
    const page = openPage(facts, cloud, link && ((scene, go) => serverOf(link, scene, go)));
    // For tests and scripts
    Object.assign(window, {dunlin: {...page, link, ready: performance.now() - started}});
  } catch (error) {
    wait.classList.add('failed');
    wait.hidden = false;
    wait.textContent = 'This map cannot be shown. ' + (error instanceof Error ? error.message : error);
    throw error;
  }
}
main();
