import './style/base.css';
import './style/frame.css';
import './style/gate.css';
import './style/page.css';
import './style/parts.css';
import './style/talk.css';
import { render } from 'preact';
import { resume } from './state/client.ts';
import { keepFocus } from './state/focus.ts';
import { watchKeys } from './state/keyboard.ts';
import { followLinks } from './state/router.ts';
import { App } from './views/App.tsx';
import { refuseFiles } from './views/parts/dropping.ts';

document.addEventListener('click', followLinks);
document.addEventListener('keydown', watchKeys, { capture: true });
for (const event of ['dragover', 'drop'] as const) document.addEventListener(event, refuseFiles);
void resume();
const root = document.getElementById('app');
if (root) {
  render(<App />, root);
  keepFocus(root);
}
