import { jumps } from '../../state/jumps.ts';
import { Dialog } from '../parts/Dialog.tsx';
import { Check } from '../parts/Field.tsx';
import { keyNames } from '../parts/keys.ts';
import { useApp, useTexts } from '../useApp.ts';

type Row = [keys: string[], label: string];

/** All keys that do something. */
export function KeySheet({ onClose }: { onClose(): void }) {
  const { t } = useTexts();
  const { keyboard } = useApp();
  const isOn = keyboard.hasSingleKeys.value;
  return (
    <Dialog title={t('Keyboard shortcuts')} size="wide" onClose={onClose}>
      <div class="key-groups">
        {useRows().map(({ name, rows }) => (
          <section key={name}>
            <h3>{name}</h3>
            <ul>
              {rows.map(([keys, label]) => (
                <li key={label} class="key-row">
                  <span>{label}</span>
                  <span class="keys">
                    {keys.map((one) => (
                      <Keys key={one} keys={one} />
                    ))}
                  </span>
                </li>
              ))}
            </ul>
          </section>
        ))}
      </div>
      <Check
        label={t('Use single-key shortcuts when you are not typing')}
        checked={isOn}
        onChange={keyboard.setSingleKeys}
      />
    </Dialog>
  );
}

/** @param keys together with `+` between them, or one after the other with a space */
function Keys({ keys }: { keys: string }) {
  return (
    <span class="combination">
      {keys.split(' ').map((step) => (
        <span key={step}>
          {(step === '+' ? ['+'] : keyNames(step)).map((name) => (
            <kbd key={name}>{name}</kbd>
          ))}
        </span>
      ))}
    </span>
  );
}

function useRows(): { name: string; rows: Row[] }[] {
  const { t } = useTexts();
  const { keyboard } = useApp();
  const single = (...keys: string[]) => (keyboard.hasSingleKeys.value ? keys : []);
  const everywhere: Row[] = [
    [['Ctrl+K'], t('Jump to…')],
    [['Ctrl+/', ...single('?')], t('Keyboard shortcuts')],
    [['Ctrl+Shift+F', ...single('/')], t('Search')],
    [['Ctrl+.'], t('Show or hide the members')],
    [['Alt+↓', 'Alt+↑'], t('Next or previous conversation')],
    [['Alt+Shift+↓', 'Alt+Shift+↑'], t('Next or previous unread conversation')],
    [['F6', 'Shift+F6'], t('Next or previous part of the page')],
  ];
  const going: Row[] = [
    ...jumps.map(({ key, label }): Row => [[`G ${key.toUpperCase()}`], t(label)]),
    [['G 1', 'G 9'], t('First to ninth server')],
  ];
  const messages: Row[] = [
    [['↑', '↓', ...single('K', 'J')], t('Previous or next message')],
    [['Esc', ...single('C')], t('To the message field')],
    [single('+'), t('React')],
    [['R'], t('Reply')],
    [['T'], t('Thread')],
    [['S'], t('Save')],
    [['W'], t('Forward')],
    [['L'], t('Copy link')],
    [['M'], t('Remind me')],
    [['U'], t('Mark unread from here')],
    [['P'], t('Pin')],
    [['E'], t('Edit')],
    [['Delete'], t('Delete')],
    [['F'], t('Report')],
  ];
  const writing: Row[] = [
    [['Enter'], t('Send')],
    [['Shift+Enter'], t('New line')],
    [['↑'], t('Edit your last message, where nothing is typed')],
    [['@', '#', '/'], t('Suggest people, channels and commands')],
    [['Esc'], t('Stop editing or replying')],
  ];
  return [
    { name: t('Everywhere'), rows: everywhere },
    ...(keyboard.hasSingleKeys.value ? [{ name: t('Go to'), rows: going }] : []),
    { name: t('On a message'), rows: messages.filter(([keys]) => keys.length > 0) },
    { name: t('While writing'), rows: writing },
  ];
}
