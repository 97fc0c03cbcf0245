import type { ComponentChildren } from 'preact';
import type { Friendship } from '../../state/people.ts';
import { Avatar } from '../parts/Avatar.tsx';
import { Button } from '../parts/Button.tsx';
import { Empty } from '../parts/Empty.tsx';
import { Field } from '../parts/Field.tsx';
import { type Fields, Form } from '../parts/Form.tsx';
import { Icon } from '../parts/Icon.tsx';
import { Menu } from '../parts/Menu.tsx';
import { Block, Page, Row } from '../parts/Page.tsx';
import { PersonButton, PresentPicture } from '../parts/PersonButton.tsx';
import { ReceivedOffers } from '../settings/HandOver.tsx';
import { useApp, useTexts } from '../useApp.ts';
import { Welcome } from './Discover.tsx';
import { SaidEmoji } from './Said.tsx';

export function Friends() {
  const { t } = useTexts();
  const { people, servers, lists } = useApp();
  const isEmpty = people.friends.value.length + people.requests.value.length + people.sentRequests.value.length === 0;
  return (
    <Page title={t('Friends')} back="/app/messages">
      {servers.loaded.value && servers.list.value.length === 0 && <Welcome />}
      <ReceivedOffers />
      <AddFriend />
      <People title={t('Requests')} list={people.requests.value}>
        {(entry) => (
          <>
            <Act label={t('Accept')} main run={() => people.answerRequest(entry.id, true)} />
            <Act label={t('Decline')} run={() => people.answerRequest(entry.id, false)} />
          </>
        )}
      </People>
      <People title={t('Friends')} list={people.friends.value}>
        {(entry) => <FriendActions entry={entry} />}
      </People>
      <People title={t('Sent requests')} list={people.sentRequests.value}>
        {(entry) => <Act label={t('Cancel')} run={() => people.endFriendship(entry.id)} />}
      </People>
      <Blocked />
      {lists.loaded.value && isEmpty && (
        <Empty
          icon="friends"
          title={t('No friends yet')}
          about={t('Enter the username of someone you know above, to send them a request.')}
        />
      )}
    </Page>
  );
}

function AddFriend() {
  const { t } = useTexts();
  const { people, showToast } = useApp();
  const ask = async ({ text }: Fields) => {
    await people.requestFriend(text('username'));
    showToast(t('Your request was sent.'));
  };
  return (
    <Form class="block beside" action={t('Send request')} work={ask} clear>
      <Field
        label={t('Username')}
        name="username"
        maxlength={32}
        placeholder={t('Username of someone you know')}
        required
      />
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
            picture={<PresentPicture user={entry.user} />}
            name={<PersonButton person={entry.user}>{entry.user.displayName}</PersonButton>}
            about={`@${entry.user.username}`}
          >
            <SaidEmoji userId={entry.user.id} />
            {children(entry)}
          </Row>
        ))}
      </ul>
    </Block>
  );
}

function FriendActions({ entry }: { entry: Friendship }) {
  const { t } = useTexts();
  const { people, attempt, reporting } = useApp();
  return (
    <>
      <Act label={t('Message')} run={() => people.talkTo(entry.friendId)} />
      <Menu
        label={t('Actions for {displayName}', { displayName: entry.user.displayName })}
        items={[
          { label: t('Remove friend'), icon: 'trash', run: () => void attempt(() => people.endFriendship(entry.id)) },
          {
            label: t('Report'),
            icon: 'shield',
            run: () => reporting.open({ what: { kind: 'user', userId: entry.friendId }, name: entry.user.displayName }),
          },
          {
            label: t('Block'),
            icon: 'block',
            danger: true,
            run: () => void attempt(() => people.block(entry.friendId)),
          },
        ]}
      >
        <Icon name="more" />
      </Menu>
    </>
  );
}

/** Users who cannot write to the user. */
function Blocked() {
  const { t } = useTexts();
  const { people } = useApp();
  if (people.blocks.value.length === 0) return null;
  return (
    <Block
      title={t('Blocked · {count}', { count: people.blocks.value.length })}
      about={t('They can neither write to you nor ask to be your friend.')}
    >
      <ul class="people">
        {people.blocks.value.map(({ userId, user }) => (
          <Row key={userId} picture={<Avatar user={user} />} name={user.displayName} about={`@${user.username}`}>
            <Act label={t('Unblock')} run={() => people.unblock(userId)} />
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
