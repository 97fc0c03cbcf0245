import type { ComponentChildren } from 'preact';
import type { Friendship } from '../../state/people.ts';
import { Avatar } from '../parts/Avatar.tsx';
import { Button } from '../parts/Button.tsx';
import { Field } from '../parts/Field.tsx';
import { type Fields, Form } from '../parts/Form.tsx';
import { Icon } from '../parts/Icon.tsx';
import { Menu } from '../parts/Menu.tsx';
import { Block, Page, Row } from '../parts/Page.tsx';
import { ReceivedOffers } from '../settings/HandOver.tsx';
import { useApp } from '../useApp.ts';
import { Welcome } from './Discover.tsx';

export function Friends() {
  const { people, servers, lists } = useApp();
  const isEmpty = people.friends.value.length + people.requests.value.length + people.sentRequests.value.length === 0;
  return (
    <Page title="Friends" back="/app/messages">
      {servers.loaded.value && servers.list.value.length === 0 && <Welcome />}
      <ReceivedOffers />
      <AddFriend />
      <People title="Requests" list={people.requests.value}>
        {(entry) => (
          <>
            <Act label="Accept" main run={() => people.answerRequest(entry.id, true)} />
            <Act label="Decline" run={() => people.answerRequest(entry.id, false)} />
          </>
        )}
      </People>
      <People title="Friends" list={people.friends.value}>
        {(entry) => <FriendActions entry={entry} />}
      </People>
      <People title="Asked" list={people.sentRequests.value}>
        {(entry) => <Act label="Cancel" run={() => people.endFriendship(entry.id)} />}
      </People>
      <Blocked />
      {lists.loaded.value && isEmpty && <p class="empty">Nobody here yet. Send a request to a username.</p>}
    </Page>
  );
}

function AddFriend() {
  const { people, showToast } = useApp();
  const ask = async ({ text }: Fields) => {
    await people.requestFriend(text('username'));
    showToast('Your request is on its way.');
  };
  return (
    <Form class="block beside" action="Send request" work={ask} clear>
      <Field label="Username" name="username" maxlength={32} placeholder="Username of someone you know" required />
    </Form>
  );
}

interface PeopleProps {
  title: string;
  list: readonly Friendship[];
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
  const { people, attempt, reporting } = useApp();
  return (
    <>
      <Act label="Message" run={() => people.talkTo(entry.friendId)} />
      <Menu
        label={`Actions for ${entry.user.displayName}`}
        items={[
          { label: 'Remove friend', icon: 'trash', run: () => void attempt(() => people.endFriendship(entry.id)) },
          {
            label: 'Report',
            icon: 'shield',
            run: () => reporting.open({ what: { kind: 'user', userId: entry.friendId }, name: entry.user.displayName }),
          },
          { label: 'Block', icon: 'block', danger: true, run: () => void attempt(() => people.block(entry.friendId)) },
        ]}
      >
        <Icon name="more" />
      </Menu>
    </>
  );
}

/** Users who cannot write to the user. */
function Blocked() {
  const { people } = useApp();
  if (people.blocks.value.length === 0) return null;
  return (
    <Block
      title={`Blocked · ${people.blocks.value.length}`}
      about="They can neither write to you nor ask to be your friend."
    >
      <ul class="people">
        {people.blocks.value.map(({ userId, user }) => (
          <Row key={userId} picture={<Avatar user={user} />} name={user.displayName} about={`@${user.username}`}>
            <Act label="Unblock" run={() => people.unblock(userId)} />
          </Row>
        ))}
      </ul>
    </Block>
  );
}

function Act({ label, main = false, run }: { label: string; main?: boolean; run(): Promise<void> }) {
  const { attempt } = useApp();
  return <Button label={label} kind={main ? undefined : 'quiet'} onClick={() => void attempt(run)} />;
}
