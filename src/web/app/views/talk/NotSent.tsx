import { goalOf } from '../../state/goals.ts';
import { listsRead } from '../../state/lists.ts';
import { type Refused, refused } from '../../state/refused.ts';
import { Page } from '../parts/Page.tsx';
import { RefusedMessage } from './Unsent.tsx';

/** Everything that was refused, wherever it was written: a thread or channel that was deleted is nowhere to be found. */
export function NotSent() {
  return (
    <Page title="Not sent" back="/app/messages">
      {refused.value.length === 0 && <p class="empty">Everything that you wrote was sent.</p>}
      {refused.value.map((one) => (
        <section key={one.pending.nonce} class="block">
          <Where refused={one} />
          <RefusedMessage refused={one} />
        </section>
      ))}
    </Page>
  );
}

function Where({ refused: { pending } }: { refused: Refused }) {
  const goal = goalOf(pending.channelId);
  if (!goal) return <h2>{listsRead.value ? 'A conversation that is in none of your lists' : '…'}</h2>;
  return (
    <h2>
      {pending.input.threadId && 'A thread in '}
      <a href={goal.href}>{goal.name}</a> <span class="faint">{goal.about}</span>
    </h2>
  );
}
