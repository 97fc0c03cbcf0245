import { useEffect, useLayoutEffect, useState } from 'preact/hooks';
import { jumps } from '../../state/jumps.ts';
import { isComposing } from '../../state/keyboard.ts';
import { pathTo } from '../../state/router.ts';
import { lazyDialog } from '../parts/lazy.tsx';
import { type AppState, useApp, useTexts } from '../useApp.ts';
import { focusField, moveAmongMessages, moveAmongRegions, react } from './moving.ts';

const KeySheet = lazyDialog(() => import('../find/KeySheet.tsx').then((part) => part.KeySheet));

/** How long the second key of a jump is waited for. */
const waitMs = 3000;

/** The keys that work everywhere, and the sheet that lists them all. */
export function Shortcuts() {
  const app = useApp();
  const { keysOpen } = app;
  const [jumping, setJumping] = useState(false);
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      // What has the focus comes first, and an open dialog.
      if (event.defaultPrevented || isComposing(event) || document.querySelector('dialog[open]')) return;
      if (!(commandOf(event) ?? singleOf(event))?.(app, () => setJumping(true))) return;
      event.preventDefault();
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, [app]);
  return (
    <>
      {jumping && <Jumping onEnd={() => setJumping(false)} />}
      {keysOpen.value && (
        <KeySheet
          onClose={() => {
            keysOpen.value = false;
          }}
        />
      )}
    </>
  );
}

/** Does what a key is for. @returns whether there was something to do */
type Command = (app: AppState, jump: () => void) => boolean;

const openSheet: Command = ({ keysOpen }) => {
  keysOpen.value = true;
  return true;
};
const search: Command = ({ panel }) => {
  panel.search();
  return true;
};

const openSwitcher: Command = ({ switcherOpen }) => {
  switcherOpen.value = true;
  return true;
};
const toggleMembers: Command = ({ panel }) => {
  panel.toggleMembers();
  return true;
};

/** What works while someone types, too. */
function commandOf(event: KeyboardEvent): Command | undefined {
  const { shiftKey } = event;
  if (event.key === 'F6') return () => moveAmongRegions(shiftKey ? -1 : 1);
  // With Alt as well it is AltGr, which writes signs.
  if (!(event.ctrlKey || event.metaKey) || event.altKey) return undefined;
  const key = event.key.toLowerCase();
  if (key === '/') return openSheet;
  if (key === 'f' && shiftKey) return search;
  if (key === '.') return toggleMembers;
  return key === 'k' && !shiftKey ? openSwitcher : undefined;
}

const singles: Record<string, Command> = {
  '?': openSheet,
  '/': search,
  g: (_, jump) => {
    jump();
    return true;
  },
  j: () => moveAmongMessages('ArrowDown'),
  k: () => moveAmongMessages('ArrowUp'),
  c: () => focusField(),
  '+': () => react(),
};

/** What works where nobody types, unless it is turned off. */
function singleOf(event: KeyboardEvent): Command | undefined {
  if (event.ctrlKey || event.metaKey || event.altKey || isForKeys(event.target)) return undefined;
  const command = singles[event.key];
  return command && ((app, jump) => app.keyboard.hasSingleKeys.value && command(app, jump));
}

/** Whether an element takes keys itself: where one types or chooses, and what has been opened above the page. */
function isForKeys(target: EventTarget | null): boolean {
  if (!(target instanceof Element)) return false;
  return (
    target.closest('input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable], [popover]') !== null
  );
}

/** Waits for the second key of a jump, and names the keys that there are. */
function Jumping({ onEnd }: { onEnd(): void }) {
  const { t } = useTexts();
  const { servers, navigate } = useApp();
  const serverId = servers.current.value?.id ?? null;
  const open = jumps.flatMap(({ path, ...one }) => {
    const to = path(serverId);
    return to ? [{ ...one, to }] : [];
  });
  // In a layout effect, to be ready for the next key.
  useLayoutEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (['Shift', 'Control', 'Alt', 'Meta'].includes(event.key)) return;
      onEnd();
      if (event.ctrlKey || event.metaKey || event.altKey || isForKeys(event.target)) return;
      // The message with the focus has keys, too.
      event.preventDefault();
      event.stopPropagation();
      const server = /^[1-9]$/.test(event.key) ? servers.list.peek()[Number(event.key) - 1] : undefined;
      const to = server ? pathTo.server(server.id) : open.find(({ key }) => key === event.key.toLowerCase())?.to;
      if (to) navigate(to);
    };
    const timer = setTimeout(onEnd, waitMs);
    document.addEventListener('keydown', press, { capture: true });
    return () => {
      clearTimeout(timer);
      document.removeEventListener('keydown', press, { capture: true });
    };
  });
  return (
    <div class="jumping" role="status">
      <strong>{t('Go to:')}</strong>
      {open.map(({ key, label }) => (
        <span key={key}>
          <kbd>{key}</kbd> {t(label)}
        </span>
      ))}
      <span>
        <kbd>1</kbd>–<kbd>9</kbd> {t('Servers')}
      </span>
    </div>
  );
}
