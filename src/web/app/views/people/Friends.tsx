import type { ComponentChildren } from 'preact';
import { listsRead } from '../../state/lists.ts';
import {
  answerRequest,
  askFriend,
  block,
  blocks,
  endFriendship,
  type Friendship,
  friends,
  requests,
  sentRequests,
  talkTo,
  unblock,
} from '../../state/people.ts';
import { servers, serversLoaded } from '../../state/servers.ts';
import { attempt, tell } from '../../state/toasts.ts';
import { Avatar } from '../parts/Avatar.tsx';
import { Button } from '../parts/Button.tsx';
import { Field } from '../parts/Field.tsx';
import { type Fields, Form } from '../parts/Form.tsx';
import { Icon } from '../parts/Icon.tsx';
import { Menu } from '../parts/Menu.tsx';
import { Block, Page, Row } from '../parts/Page.tsx';
import { Welcome } from './Discover.tsx';

export function Friends() {
  const isEmpty = friends.value.length + requests.value.length + sentRequests.value.length === 0;
  return (
    <Page title="Friends" back="/app/messages">
      {serversLoaded.value && servers.value.length === 0 && <Welcome />}
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
        {(entry) => <FriendActions entry={entry} />}
      </People>
      <People title="Asked" list={sentRequests.value}>
        {(entry) => <Act label="Cancel" run={() => endFriendship(entry.id)} />}
      </People>
      <Blocked />
      {listsRead.value && isEmpty && <p class="empty">Nobody here yet. Ask someone by their username.</p>}
    </Page>
  );
}

function AddFriend() {
  const ask = async ({ text }: Fields) => {
    await askFriend(text('username'));
    tell('Your request is on its way.');
  };
  return (
    <Form class="block beside" action="Send request" work={ask} clear>
      <Field label="Username" name="username" maxlength={32} placeholder="Whom do you know here?" required />
    </Form>
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
    <Block title={`${title} · ${list.length}`}>
      <ul class="people">
        {list.map((entry) => (
          <Row
            key={entry.id}
            picture={<Avatar user={entry.user} present />}
            name={entry.user.displayName}
            about={`@${entry.user.username}`}
          >
            {children(entry)}
          </Row>
        ))}
      </ul>
    </Block>
  );
}

function FriendActions({ entry }: { entry: Friendship }) {
  return (
    <>
      <Act label="Message" run={() => talkTo(entry.friendId)} />
      <Menu
        label={`Actions for ${entry.user.displayName}`}
        items={[
          { label: 'Remove friend', icon: 'trash', run: () => void attempt(() => endFriendship(entry.id)) },
          { label: 'Block', icon: 'block', danger: true, run: () => void attempt(() => block(entry.friendId)) },
        ]}
      >
        <Icon name="more" />
      </Menu>
    </>
  );
}

/** Those who cannot write to one. */
function Blocked() {
  if (blocks.value.length === 0) return null;
  return (
    <Block title={`Blocked · ${blocks.value.length}`} about="They can neither write to you nor ask to be your friend.">
      <ul class="people">
        {blocks.value.map(({ userId, user }) => (
          <Row key={userId} picture={<Avatar user={user} />} name={user.displayName} about={`@${user.username}`}>
            <Act label="Unblock" run={() => unblock(userId)} />
          </Row>
        ))}
      </ul>
    </Block>
  );
}

function Act({ label, main = false, run }: { label: string; main?: boolean; run(): Promise<void> }) {
  return <Button label={label} kind={main ? undefined : 'quiet'} onClick={() => void attempt(run)} />;
}
