import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import {
  answerRequest,
  askFriend,
  endFriendship,
  type Friendship,
  friends,
  openDm,
  requests,
  sentRequests,
} from '../../state/people.ts';
import { go, pathTo } from '../../state/router.ts';
import { attempt, tell } from '../../state/toasts.ts';
import { Avatar } from '../parts/Avatar.tsx';

export function Friends() {
  return (
    <section class="page">
      <header class="bar">
        <h1 class="title">Friends</h1>
      </header>
      <div class="body">
        <AddFriend />
        <People title="Requests" list={requests.value}>
          {(entry) => (
            <>
              <Act label="Accept" main run={() => answerRequest(entry.id, true)} />
              <Act label="Decline" run={() => answerRequest(entry.id, false)} />
            </>
          )}
        </People>
        <People title="Friends" list={friends.value}>
          {(entry) => (
            <>
              <Act label="Message" main run={() => talkTo(entry)} />
              <Act label="Remove" run={() => endFriendship(entry.id)} />
            </>
          )}
        </People>
        <People title="Asked" list={sentRequests.value}>
          {(entry) => <Act label="Cancel" run={() => endFriendship(entry.id)} />}
        </People>
        {friends.value.length + requests.value.length + sentRequests.value.length === 0 && (
          <p class="empty">Nobody here yet. Ask someone by their username.</p>
        )}
      </div>
    </section>
  );
}

async function talkTo({ friendId }: Friendship): Promise<void> {
  const channel = await openDm(friendId);
  go(pathTo.channel(null, channel.id));
}

function AddFriend() {
  const [name, setName] = useState('');
  const ask = async (event: SubmitEvent) => {
    event.preventDefault();
    const asked = await attempt(() => askFriend(name.trim()));
    if (!asked) return;
    tell('Your request is on its way.');
    setName('');
  };
  return (
    <form class="inline" onSubmit={ask}>
      <input
        aria-label="Username"
        placeholder="Username"
        autocomplete="off"
        value={name}
        maxLength={32}
        required
        onInput={(event) => setName(event.currentTarget.value)}
      />
      <button type="submit" class="button" disabled={name.trim() === ''}>
        Send request
      </button>
    </form>
  );
}

interface PeopleProps {
  title: string;
  list: Friendship[];
  children(entry: Friendship): ComponentChildren;
}

function People({ title, list, children }: PeopleProps) {
  if (list.length === 0) return null;
  return (
    <>
      <h2>
        {title} · {list.length}
      </h2>
      <ul class="people">
        {list.map((entry) => (
          <li key={entry.id}>
            <Avatar user={entry.user} present />
            <span class="who">
              <span class="name">{entry.user.displayName}</span>
              <span class="faint">@{entry.user.username}</span>
            </span>
            {children(entry)}
          </li>
        ))}
      </ul>
    </>
  );
}

function Act({ label, main = false, run }: { label: string; main?: boolean; run(): Promise<void> }) {
  return (
    <button type="button" class={main ? 'button' : 'button quiet'} onClick={() => void attempt(run)}>
      {label}
    </button>
  );
}
