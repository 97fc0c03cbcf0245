import { signal } from '@preact/signals';
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { type Goal, goalsFor } from '../../state/goals.ts';
import { isComposing, isTouched } from '../../state/keyboard.ts';
import { channelsForMe } from '../../state/notifications.ts';
import { go } from '../../state/router.ts';
import { Dialog } from '../parts/Dialog.tsx';
import { Icon } from '../parts/Icon.tsx';
import { Badge } from './Entry.tsx';

const isOpen = signal(false);
const close = () => {
  isOpen.value = false;
};

/** Leads to a conversation by its name, also by Ctrl or Cmd with K. */
export function Switcher() {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const isAsked = event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey);
      // Another dialog is to be answered first.
      if (!isAsked || event.shiftKey || event.altKey || document.querySelector('dialog[open]')) return;
      event.preventDefault();
      isOpen.value = true;
    };
    document.addEventListener('keydown', press);
    return () => {
      document.removeEventListener('keydown', press);
      // Whoever signs in next did not ask for it.
      close();
    };
  }, []);
  return isOpen.value ? <Goals onClose={close} /> : null;
}

export function SwitcherButton() {
  const open = () => {
    isOpen.value = true;
  };
  return (
    <button
      type="button"
      class="server add"
      aria-label="Go to a conversation"
      title="Go to a conversation (Ctrl+K)"
      onClick={open}
    >
      <Icon name="search" />
    </button>
  );
}

function Goals({ onClose }: { onClose(): void }) {
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  // Before the next key is pressed.
  useLayoutEffect(() => field.current?.focus(), []);
  const [typed, setTyped] = useState('');
  const [chosen, setChosen] = useState(0);
  const list = goalsFor(typed);
  const goal = list[chosen];
  const press = (event: KeyboardEvent) => {
    if (isComposing(event)) return;
    if (event.key === 'ArrowDown') setChosen((chosen + 1) % Math.max(1, list.length));
    else if (event.key === 'ArrowUp') setChosen((chosen + list.length - 1) % Math.max(1, list.length));
    else if (event.key === 'Enter' && goal) lead(goal, onClose);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog title="Go to a conversation" onClose={onClose}>
      <div class="field">
        <input
          type="text"
          role="combobox"
          autocomplete="off"
          ref={field}
          aria-label="Name of a channel, a server or a person"
          aria-expanded={list.length > 0}
          aria-controls={id}
          aria-autocomplete="list"
          aria-activedescendant={goal && `${id}-${chosen}`}
          placeholder="Channel, server or person"
          onKeyDown={press}
          onInput={(event) => {
            setTyped(event.currentTarget.value);
            setChosen(0);
          }}
        />
      </div>
      <div class="goals" id={id} role="listbox" aria-label="Places">
        {list.map((one, i) => (
          <div
            key={one.href}
            id={`${id}-${i}`}
            role="option"
            tabIndex={-1}
            class={i === chosen ? 'chosen' : ''}
            aria-selected={i === chosen}
            onClick={() => lead(one, onClose)}
            onKeyDown={press}
          >
            <span class="name">{one.name}</span> <span class="name faint">{one.about}</span>
            <span class="space" />
            <Badge count={one.count} quiet={!channelsForMe.value.has(one.channelId)} />
          </div>
        ))}
      </div>
      <p class="faint" role="status">
        {list.length === 0 && 'Nothing is called that.'}
      </p>
      {!isTouched() && <p class="hint">Alt with ↑ or ↓ leads to the next one, with Shift to the next unread one.</p>}
    </Dialog>
  );
}

function lead({ href }: Goal, onClose: () => void): void {
  onClose();
  go(href);
}
