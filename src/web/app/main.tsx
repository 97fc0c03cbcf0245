import { render } from 'preact';
import { browser, fetchParts, followLinks } from './browser.ts';
import { calmEvent } from './device.ts';
import { keepFocus } from './focus.ts';
import { whenCalm } from './state/calm.ts';
import { createPage } from './state/page.ts';
import './style/base.css';
import './style/frame.css';
import './style/gate.css';
import './style/page.css';
import './style/parts.css';
import './style/talk.css';
import './style/channels.css';
import './style/speed.css';
import './style/expression.css';
import './style/prose.css';
import './style/files.css';
import './style/composer.css';
import './style/finding.css';
import './style/screens.css';
import './style/modes.css';
import { App } from './views/App.tsx';
import { preventFileDrop } from './views/parts/dropping.ts';

const page = createPage(browser);
document.addEventListener('click', (event) => followLinks(event, page.navigate));
document.addEventListener('keydown', (event) => page.keyboard.watch(event), { capture: true });
for (const event of ['dragover', 'drop'] as const) document.addEventListener(event, preventFileDrop);
const root = document.getElementById('app');
if (root) {
  await page.speech.ready;
  render(<App page={page} />, root);
  keepFocus(root);
  await whenCalm(page);
  void fetchParts();
  dispatchEvent(new Event(calmEvent));
}
