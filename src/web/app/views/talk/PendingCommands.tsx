import type { CommandPlace } from '../../state/commands.ts';
import { useApp, useTexts } from '../useApp.ts';
import { FillIn } from './Components.tsx';

/** What bots do about commands that were invoked here. */
export function PendingCommands({ channelId, threadId }: CommandPlace) {
  const { t } = useTexts();
  const { commands, interactions } = useApp();
  const told = interactions.commandsIn(channelId, threadId).map(({ agentId, state, note }) => {
    const name = commands.botNameIn(channelId, agentId) ?? t('Bot');
    if (state === 'waiting') return t('Waiting for {name}…', { name });
    return note ? t('{name}: {note}…', { name, note }) : t('{name} is working…', { name });
  });
  return (
    <>
      {told.length > 0 && (
        <p class="hint" role="status">
          {told.join(' ')}
        </p>
      )}
      <div class="components">
        <FillIn messageId={null} place={{ channelId, threadId }} />
      </div>
    </>
  );
}
