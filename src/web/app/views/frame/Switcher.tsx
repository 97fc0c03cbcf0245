import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { isTouched } from '../../browser.ts';
import { type Destination, findDestinations } from '../../state/destinations.ts';
import { isComposing } from '../../state/keyboard.ts';
import { Dialog } from '../parts/Dialog.tsx';
import { Icon } from '../parts/Icon.tsx';
import { useApp, useTexts } from '../useApp.ts';
import { Badge } from './Entry.tsx';

/** Opens a conversation by its name; Ctrl or Cmd with K shows it. */
export function Switcher() {
  const { switcherOpen } = useApp();
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const isAsked = event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey);
      // An open dialog comes first.
      if (!isAsked || event.shiftKey || event.altKey || document.querySelector('dialog[open]')) return;
      event.preventDefault();
      switcherOpen.value = true;
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, [switcherOpen]);
  const close = () => {
    switcherOpen.value = false;
  };
  return switcherOpen.value ? <Destinations onClose={close} /> : null;
}

export function SwitcherButton() {
  const { t } = useTexts();
  const { switcherOpen } = useApp();
  const open = () => {
    switcherOpen.value = true;
  };
  return (
    <button
      type="button"
      class="server add"
      aria-label={t('Go to a conversation')}
      title={t('Go to a conversation (Ctrl+K)')}
      onClick={open}
    >
      <Icon name="search" />
    </button>
  );
}

function Destinations({ onClose }: { onClose(): void }) {
  const { t } = useTexts();
  const { notifications, destinations, navigate } = useApp();
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  // In a layout effect, to be ready for the next key.
  useLayoutEffect(() => field.current?.focus(), []);
  const [typed, setTyped] = useState('');
  const [chosen, setChosen] = useState(0);
  const list = findDestinations(destinations.value, typed);
  const destination = list[chosen];
  const lead = ({ href }: Destination) => {
    onClose();
    navigate(href);
  };
  const press = (event: KeyboardEvent) => {
    if (isComposing(event)) return;
    if (event.key === 'ArrowDown') setChosen((chosen + 1) % Math.max(1, list.length));
    else if (event.key === 'ArrowUp') setChosen((chosen + list.length - 1) % Math.max(1, list.length));
    else if (event.key === 'Enter' && destination) lead(destination);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog title={t('Go to a conversation')} onClose={onClose}>
      <div class="field">
        <input
          type="text"
          role="combobox"
          autocomplete="off"
          ref={field}
          aria-label={t('Name of a channel, a server or a person')}
          aria-expanded={list.length > 0}
          aria-controls={id}
          aria-autocomplete="list"
          aria-activedescendant={destination && `${id}-${chosen}`}
          placeholder={t('Channel, server or person')}
          onKeyDown={press}
          onInput={(event) => {
            setTyped(event.currentTarget.value);
            setChosen(0);
          }}
        />
      </div>
      <div class="goals" id={id} role="listbox" aria-label={t('Places')}>
        {list.map((one, i) => (
          <div
            key={one.href}
            id={`${id}-${i}`}
            role="option"
            tabIndex={-1}
            class={i === chosen ? 'chosen' : ''}
            aria-selected={i === chosen}
            onClick={() => lead(one)}
            onKeyDown={press}
          >
            <span class="name">{one.name}</span> <span class="name faint">{one.about}</span>
            <span class="space" />
            <Badge count={one.count} quiet={!notifications.channelsForMe.value.has(one.channelId)} />
          </div>
        ))}
      </div>
      <p class="faint" role="status">
        {list.length === 0 && t('Nothing has this name.')}
      </p>
      {!isTouched() && (
        <p class="hint">{t('Alt with ↑ or ↓ leads to the next one, with Shift to the next unread one.')}</p>
      )}
    </Dialog>
  );
}
