// Starts the page; what it says when it cannot
import {element} from './dom.js';
import {readFile} from './file.js';
import {openPage} from './page.js';

async function main() {
  const started = performance.now(), wait = element('wait'), bar = element('bar');
  try {
    const {facts, cloud} = await readFile(share => { bar.style.width = 100 * share + '%'; });
    const page = openPage(facts, cloud, null);
    // For tests and scripts
    Object.assign(window, {dunlin: {...page, ready: performance.now() - started}});
  } catch (error) {
    wait.classList.add('failed');
    wait.hidden = false;
    wait.textContent = 'This map cannot be shown. ' + (error instanceof Error ? error.message : error);
    throw error;
  }
}
main();
