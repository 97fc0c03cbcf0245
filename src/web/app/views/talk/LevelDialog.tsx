import type { Message } from '../../../../languages/catalogue.ts';
import type { Level } from '../../state/preferences.ts';
import { Dialog } from '../parts/Dialog.tsx';
import { useApp, useTexts } from '../useApp.ts';

interface Choice {
  level: Level;
  label: Message;
  about: Message;
}

const inSettings: Choice = { level: null, label: 'Same as in your settings', about: 'What you chose there.' };
const all: Choice = { level: 'all', label: 'Every message', about: 'And replies in threads that you follow.' };
const mentions: Choice = { level: 'mentions', label: 'Mentions', about: 'Mentions of you and replies to you.' };
const nothing = { level: 'nothing', label: 'Nothing' } as const;

/** Where the level is of. */
export type LevelPlace = 'server' | 'channel' | 'dm';

const levels: Record<LevelPlace, Choice[]> = {
  server: [inSettings, all, mentions, { ...nothing, about: 'The server is muted.' }],
  channel: [
    { level: null, label: 'Same as the server', about: 'What you chose for the server, or in your settings.' },
    ...[all, mentions, { ...nothing, about: 'The channel is muted.' } as const],
  ],
  dm: [inSettings, all, mentions, { ...nothing, about: 'The conversation is muted.' }],
};

/** What the user is notified of in a server, a channel, or a direct conversation. */
export function LevelDialog({ place, id, onClose }: { place: LevelPlace; id: string; onClose(): void }) {
  const { t } = useTexts();
  const { preferences, attempt } = useApp();
  const kept = place === 'server' ? 'server' : 'channel';
  const chosen = preferences.levelOf(kept, id);
  return (
    <Dialog title={t('Notify me about')} onClose={onClose}>
      <fieldset class="choices">
        <legend class="hidden">{t('Notify me about')}</legend>
        {levels[place].map(({ level, label, about }) => (
          <label key={label} class="check">
            <input
              type="radio"
              name="level"
              checked={level === chosen}
              onChange={() => void attempt(() => preferences.setLevel(kept, id, level))}
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
