// A page in a file: facts and frames are in its elements
import {Assembly, checkedFacts} from './blocks.js';
import {element} from './dom.js';
import {bytesOfBase64, parseFrame} from './frames.js';

/** @param {(share: number) => void} progress */
export async function readFile(progress) {
  const facts = checkedFacts(JSON.parse(element('facts').textContent || '')), assembly = new Assembly(facts);
  for (const script of document.querySelectorAll('script[type="text/x-frame"]')) {
    await assembly.add(parseFrame(bytesOfBase64(script.textContent || '')));
    script.remove();
    progress(assembly.progress);
  }
  return {facts, cloud: assembly.finished()};
}
