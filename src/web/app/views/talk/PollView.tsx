import { useState } from 'preact/hooks';
import type { Message } from '../../../../client/index.ts';
import type { Poll } from '../../state/polls.ts';
import type { Timeline } from '../../state/timeline.ts';
import { Confirm } from '../parts/Dialog.tsx';
import { useApp, useTexts } from '../useApp.ts';
import { mayModerate, mayUsually } from './permissions.ts';
import { Voters } from './Voters.tsx';

/** The poll of a message: one votes by choosing, and sees at once what the votes come to. */
export function PollView({ message, timeline }: { message: Message; timeline: Timeline }) {
  const { poll } = message;
  return poll ? <Shown message={message} poll={poll} timeline={timeline} /> : null;
}

interface ShownProps {
  message: Message;
  poll: Poll;
  timeline: Timeline;
}

function Shown({ message, poll, timeline }: ShownProps) {
  const { t } = useTexts();
  const app = useApp();
  const known = app.polls.chosen(message);
  const chosen = known ?? [];
  const isOpen = poll.closedAt === null && (poll.closesAt === null || Date.parse(poll.closesAt) > Date.now());
  // A vote replaces what was chosen before, which has to be known for that.
  const mayVote = known !== undefined && isOpen && mayUsually(app, message.channelId, 'message:react');
  const choose = (id: number) =>
    void app.attempt(async () => {
      const poll = await app.polls.vote(message.id, chosenWith(message, chosen, id));
      timeline.change(message.id, () => ({ poll }));
    });
  return (
    <section class="poll" aria-label={t('Poll: {question}', { question: poll.question })}>
      <h3 dir="auto">{poll.question}</h3>
      <p class="faint">{poll.multiple ? t('Choose one or more.') : t('Choose one.')}</p>
      <ul>
        {poll.options.map((option) => (
          <li key={option.id}>
            <OptionButton
              poll={poll}
              option={option}
              isChosen={chosen.includes(option.id)}
              disabled={!mayVote}
              onChoose={() => choose(option.id)}
            />
          </li>
        ))}
      </ul>
      <Foot message={message} poll={poll} timeline={timeline} isOpen={isOpen} />
    </section>
  );
}

/** What is chosen once someone has clicked on an option: a second click takes it back. */
function chosenWith({ poll }: Message, chosen: readonly number[], id: number): number[] {
  if (chosen.includes(id)) return chosen.filter((other) => other !== id);
  return poll?.multiple ? [...chosen, id] : [id];
}

interface OptionProps {
  poll: Poll;
  option: Poll['options'][number];
  isChosen: boolean;
  disabled: boolean;
  onChoose(): void;
}

function OptionButton({ poll, option: { text, count }, isChosen, disabled, onChoose }: OptionProps) {
  const { number, t } = useTexts();
  const share = poll.voterCount === 0 ? 0 : Math.round((100 * count) / poll.voterCount);
  return (
    <button
      type="button"
      class="option"
      aria-pressed={isChosen}
      aria-label={t('{text}: {count, plural, one {# vote} other {# votes}}, {share} %', { text, count, share })}
      disabled={disabled}
      onClick={onChoose}
    >
      <span class="share" style={{ width: `${share}%` }} />
      <span class="name" dir="auto">
        {isChosen && '✓ '}
        {text}
      </span>{' '}
      <span>{number(count)}</span>
    </button>
  );
}

function Foot({ message, poll, timeline, isOpen }: ShownProps & { isOpen: boolean }) {
  const { fullTime, t } = useTexts();
  const app = useApp();
  const [asking, setAsking] = useState<'voters' | 'close' | null>(null);
  const isOwn = message.authorId === app.me.value?.id;
  const mayClose = isOpen && (isOwn || mayModerate(app, message.channelId, 'message:delete-others'));
  const close = () =>
    void app.attempt(async () => {
      const { poll } = await app.client.rest('POST /api/messages/:id/poll/close', { id: message.id });
      timeline.change(message.id, () => ({ poll }));
    });
  const facts = [
    t('{count, plural, one {# person voted} other {# people voted}}', { count: poll.voterCount }),
    poll.anonymous && t('Anonymous: nobody sees who voted'),
    isOpen && poll.closesAt && t('Closes {time}', { time: fullTime(poll.closesAt) }),
    !isOpen && t('Closed'),
  ];
  return (
    <>
      <p class="faint" role="status">
        {facts.filter(Boolean).join(' · ')}
      </p>
      <div class="poll-actions">
        {!poll.anonymous && poll.voterCount > 0 && (
          <button type="button" class="link" onClick={() => setAsking('voters')}>
            {t('Who voted')}
          </button>
        )}
        {mayClose && (
          <button type="button" class="link" onClick={() => setAsking('close')}>
            {t('Close the poll')}
          </button>
        )}
      </div>
      {asking === 'voters' && <Voters messageId={message.id} poll={poll} onClose={() => setAsking(null)} />}
      {asking === 'close' && (
        <Confirm
          title={t('Close this poll?')}
          text={t('Nobody can vote any more. It cannot be opened again.')}
          action={t('Close the poll')}
          onClose={() => setAsking(null)}
          onConfirm={close}
        />
      )}
    </>
  );
}
