import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Dialog } from '../parts/Dialog.tsx';
import { Icon } from '../parts/Icon.tsx';
import { keyNames } from '../parts/keys.ts';
import { lazyDialog, lazyPage } from '../parts/lazy.tsx';
import { useApp, useTexts } from '../useApp.ts';

const Goals = lazyPage(() => import('../find/Goals.tsx').then((part) => part.Goals));
const TaskDialog = lazyDialog(() => import('../find/TaskDialog.tsx').then((part) => part.TaskDialog));

/** What the switcher can begin, and goes on in a dialog. */
export type Task = 'message' | 'server' | 'status' | 'channel' | 'invite';

/** Leads to people, channels, messages and actions by their names. */
export function Switcher() {
  const { switcherOpen } = useApp();
  const [task, setTask] = useState<Task | null>(null);
  const close = () => {
    switcherOpen.value = false;
  };
  return (
    <>
      {switcherOpen.value && <JumpTo onClose={close} onTask={setTask} />}
      {task && <TaskDialog task={task} onClose={() => setTask(null)} />}
    </>
  );
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
      aria-label={t('Jump to…')}
      title={t('Jump to… ({keys})', { keys: keyNames('Ctrl+K').join('+') })}
      onClick={open}
    >
      <Icon name="search" />
    </button>
  );
}

/** The field is there at once, for whoever opens it and types; what it leads to is loaded. */
function JumpTo({ onClose, onTask }: { onClose(): void; onTask(task: Task): void }) {
  const { t } = useTexts();
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  const [typed, setTyped] = useState('');
  // In a layout effect, to be ready for the next key.
  useLayoutEffect(() => field.current?.focus(), []);
  return (
    <Dialog title={t('Jump to…')} onClose={onClose}>
      <div class="field">
        <input
          type="text"
          role="combobox"
          autocomplete="off"
          ref={field}
          maxLength={100}
          aria-label={t('Name of a person, channel or action, or words of a message')}
          aria-expanded="true"
          aria-controls={id}
          aria-autocomplete="list"
          placeholder={t('Person, channel, message or action')}
          onInput={(event) => setTyped(event.currentTarget.value)}
        />
      </div>
      <Goals id={id} field={field} typed={typed} onClose={onClose} onTask={onTask} />
    </Dialog>
  );
}
