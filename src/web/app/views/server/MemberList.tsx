import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { ChannelRecord } from '../../../../client/index.ts';
import type { Member } from '../../state/servers.ts';
import { Button, IconButton, More } from '../parts/Button.tsx';
import { Dialog } from '../parts/Dialog.tsx';
import { PickAndAdd } from '../parts/Field.tsx';
import { useLoaded } from '../parts/loading.ts';
import { Row } from '../parts/Page.tsx';
import { PersonButton, PresentPicture } from '../parts/PersonButton.tsx';
import { SaidEmoji } from '../people/Said.tsx';
import { useApp, useTexts } from '../useApp.ts';
import { HighestRole } from './RoleBadge.tsx';
import { useChannelTasks } from './useChannelTasks.ts';

/** How many are rendered at a time: thousands at once would block the page for seconds. */
const step = 100;

interface MemberListProps {
  /** Null until it is loaded. */
  list: readonly Member[] | null;
  row(member: Member): ComponentChildren;
}

/** A list of members with a search by name. */
export function MemberList({ list, row }: MemberListProps) {
  const { t } = useTexts();
  const [sought, setSought] = useState('');
  const [shown, setShown] = useState(step);
  const text = sought.trim().toLowerCase();
  const found = (list ?? []).filter(({ nickname, user }) =>
    `${nickname ?? ''} ${user.displayName} ${user.username}`.toLowerCase().includes(text),
  );
  const seek = (value: string) => {
    setSought(value);
    setShown(step);
  };
  return (
    <>
      <input
        type="search"
        aria-label={t('Find a member')}
        placeholder={t('Find a member')}
        value={sought}
        onInput={(event) => seek(event.currentTarget.value)}
      />
      <ul class="people found">
        {found.slice(0, shown).map(row)}
        {found.length > shown && (
          <li key="more">
            <More onMore={async () => setShown(shown + step)} />
          </li>
        )}
      </ul>
      {found.length === 0 && <p class="empty">{list ? t('No members match your search.') : t('One moment…')}</p>}
    </>
  );
}

/** How many members of a large server are online; nothing for a small one. */
export function OnlineCount({ serverId }: { serverId: string }) {
  const { number, t } = useTexts();
  const { presence } = useApp();
  const online = presence.online.value.get(serverId);
  return online === undefined ? null : <p class="faint">{t('{format} online', { format: number(online) })}</p>;
}

/** The members of a channel. Those who may add others, and take out whom they stand above. */
export function ChannelMembers({ channel, onClose }: { channel: ChannelRecord; onClose(): void }) {
  const { t } = useTexts();
  const { attempt, people, me } = useApp();
  const { server, roles, list, mayAdd, add, mayRemove, remove } = useChannelTasks(channel);
  const talk = (userId: string) => {
    onClose();
    void attempt(() => people.talkTo(userId));
  };
  return (
    <Dialog title={t('Members of #{name}', { name: channel.name })} onClose={onClose}>
      {server && !channel.isPrivate && <OnlineCount serverId={server.id} />}
      {server && mayAdd && list && (
        <AddMember serverId={server.id} present={new Set(list.map(({ userId }) => userId))} onAdd={add} />
      )}
      <MemberList
        list={list}
        row={(member) => (
          <Row
            key={member.userId}
            picture={<PresentPicture user={member.user} />}
            name={<PersonButton person={member.user}>{member.user.displayName}</PersonButton>}
            about={`@${member.user.username}`}
          >
            <SaidEmoji userId={member.userId} />
            <HighestRole member={member} list={roles} />
            {member.userId !== me.value?.id && (
              <IconButton
                icon="chat"
                label={t('Message {displayName}', { displayName: member.user.displayName })}
                onClick={() => talk(member.userId)}
              />
            )}
            {mayRemove(member) && <Button label={t('Remove')} kind="quiet" onClick={() => remove(member.userId)} />}
          </Row>
        )}
      />
    </Dialog>
  );
}

interface AddMemberProps {
  serverId: string;
  /** Ids of those who are members already. */
  present: ReadonlySet<string>;
  onAdd(userId: string): void;
}

/** Adds someone of the server to a channel. */
export function AddMember({ serverId, present, onAdd }: AddMemberProps) {
  const { t } = useTexts();
  const { servers } = useApp();
  const { value: all } = useLoaded(() => servers.membersOf(serverId), [serverId]);
  const missing = all?.filter(({ userId }) => !present.has(userId)) ?? [];
  const options = missing.map(({ userId, user }) => ({
    value: userId,
    label: `${user.displayName} (@${user.username})`,
  }));
  return <PickAndAdd label={t('Person to add')} options={options} onAdd={onAdd} />;
}
