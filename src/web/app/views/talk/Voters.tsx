import type { Poll } from '../../state/polls.ts';
import { More } from '../parts/Button.tsx';
import { Dialog } from '../parts/Dialog.tsx';
import { usePages } from '../parts/loading.ts';
import { Row } from '../parts/Page.tsx';
import { PersonButton, PersonPicture } from '../parts/PersonButton.tsx';
import { useApp, useTexts } from '../useApp.ts';

const pageSize = 50;

interface VotersProps {
  messageId: string;
  poll: Poll;
  onClose(): void;
}

/** Who voted for what, of a poll that is not anonymous. */
export function Voters({ messageId, poll, onClose }: VotersProps) {
  const { t } = useTexts();
  return (
    <Dialog title={t('Who voted: {question}', { question: poll.question })} onClose={onClose}>
      {poll.options
        .filter(({ count }) => count > 0)
        .map(({ id, text }) => (
          <section key={id} aria-label={text}>
            <h3 dir="auto">{text}</h3>
            <VotersOf messageId={messageId} optionId={id} />
          </section>
        ))}
    </Dialog>
  );
}

function VotersOf({ messageId, optionId }: { messageId: string; optionId: number }) {
  const { t } = useTexts();
  const { client } = useApp();
  const { list, onMore } = usePages(
    pageSize,
    (
      known: readonly { id: string; displayName: string; username: string; avatarUrl: string | null; isBot: boolean }[],
    ) => {
      const query = { limit: pageSize, cursor: known.at(-1)?.id };
      const params = { id: messageId, optionId: String(optionId) };
      return client.rest('GET /api/messages/:id/poll/options/:optionId/voters', { ...params, query });
    },
    [messageId, optionId],
  );
  if (!list) return <p class="faint">{t('One moment…')}</p>;
  return (
    <>
      <ul class="people">
        {list.map((user) => (
          <Row
            key={user.id}
            name={<PersonButton person={user}>{user.displayName}</PersonButton>}
            about={`@${user.username}`}
            picture={<PersonPicture user={user} />}
          />
        ))}
      </ul>
      {onMore && <More onMore={onMore} />}
    </>
  );
}
