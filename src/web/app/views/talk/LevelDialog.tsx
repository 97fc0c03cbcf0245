import type { Message } from '../../../../languages/catalogue.ts';
import type { Level } from '../../state/preferences.ts';
import { Dialog } from '../parts/Dialog.tsx';
import { useApp, useTexts } from '../useApp.ts';

const levels: { level: Level; label: Message; about: Message }[] = [
  { level: null, label: 'As in the server', about: 'What you chose in your settings.' },
  { level: 'all', label: 'Every message', about: 'And replies in threads that you follow.' },
  { level: 'mentions', label: 'Mentions', about: 'What names or answers you.' },
  { level: 'nothing', label: 'Nothing', about: 'The channel is muted.' },
];

/** What the user is notified of in a channel. */
export function LevelDialog({ channelId, onClose }: { channelId: string; onClose(): void }) {
  const { t } = useTexts();
  const { preferences, attempt } = useApp();
  const chosen = preferences.levelOf('channel', channelId);
  return (
    <Dialog title={t('Notify me of')} onClose={onClose}>
      <fieldset class="choices">
        <legend class="hidden">{t('Notify me of')}</legend>
        {levels.map(({ level, label, about }) => (
          <label key={label} class="check">
            <input
              type="radio"
              name="level"
              checked={level === chosen}
              onChange={() => void attempt(() => preferences.setLevel('channel', channelId, level))}
            />
            <span>
              {t(label)}
              <span class="hint">{t(about)}</span>
            </span>
          </label>
        ))}
      </fieldset>
    </Dialog>
  );
}
