import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { ParleyError, type RestAnswer, type ServerRecord } from '../../../../client/index.ts';
import { userNamed } from '../../state/named.ts';
import type { Box, Person } from '../../state/profiles.ts';
import { pathTo } from '../../state/router.ts';
import type { Member } from '../../state/servers.ts';
import { Avatar } from '../parts/Avatar.tsx';
import { Button, IconButton } from '../parts/Button.tsx';
import { Icon } from '../parts/Icon.tsx';
import { Menu, type MenuItem } from '../parts/Menu.tsx';
import { PersonButton } from '../parts/PersonButton.tsx';
import { RoleBadge } from '../server/RoleBadge.tsx';
import { useRoles } from '../server/useRoles.ts';
import { useApp, useTexts } from '../useApp.ts';
import { Said } from './Said.tsx';
import { StatusDialog } from './StatusDialog.tsx';

type Profile = RestAnswer<'GET /api/auth/users/:id'>;

interface ProfileCardProps {
  person: Person;
  beside: Box;
  onClose(): void;
}

/** Who someone is, with what one can do: a card beside their name, on a phone at the bottom of the screen. */
export function ProfileCard({ person, beside, onClose }: ProfileCardProps) {
  const { t } = useTexts();
  const { me, route, servers } = useApp();
  const id = useId();
  const opened = useRef(route.value);
  useEffect(() => {
    if (route.value !== opened.current) onClose();
  }, [route.value]);
  const { ref, close } = useCard(beside);
  const profile = useProfile(person.id);
  const server = servers.current.value;
  const member = useMember(server, person.id);
  const known = profile ?? { username: '', avatarUrl: null, isBot: false, ...person };
  const isOwn = person.id === me.value?.id;
  return (
    <dialog ref={ref} class="profile" aria-labelledby={id} onClose={onClose}>
      <div class="profile-top">
        <Avatar user={known} present />
        <IconButton icon="close" label={t('Close')} onClick={close} />
      </div>
      <h2 id={id} dir="auto">
        {known.displayName}
        {known.isBot && <span class="tag">{t('Bot')}</span>}
      </h2>
      {known.username && <p class="faint">@{known.username}</p>}
      {profile === null && <p class="note">{t('This account no longer exists.')}</p>}
      {profile?.agent && <BotOwner id={profile.agent.ownerId} />}
      <Said userId={person.id} />
      {server && member && <Membership server={server} member={member} />}
      {isOwn ? <OwnActions /> : profile && <Actions user={profile} onDone={close} />}
    </dialog>
  );
}

/** Whose bot it is. */
function BotOwner({ id }: { id: string }) {
  const { rich } = useTexts();
  const displayName = userNamed(useApp(), id);
  if (displayName === undefined) return null;
  const owner = <PersonButton person={{ id, displayName }}>{displayName}</PersonButton>;
  return <p class="faint">{rich('Bot of {name}', { name: owner })}</p>;
}

/** Shows the card beside what opened it. The browser keeps the focus in it, Escape and a click beside it close it. */
function useCard(beside: Box) {
  const ref = useRef<HTMLDialogElement>(null);
  const before = useRef<Element | null>(null);
  const close = () => ref.current?.close();
  useLayoutEffect(() => {
    const card = ref.current;
    before.current = document.activeElement;
    card?.showModal();
    const press = ({ target, clientX: x, clientY: y }: PointerEvent) => {
      if (!card || target !== card) return;
      const { left, right, top, bottom } = card.getBoundingClientRect();
      if (x < left || x > right || y < top || y > bottom) close();
    };
    card?.addEventListener('pointerdown', press);
    return () => card?.removeEventListener('pointerdown', press);
  }, []);
  // It grows when more of the person is known.
  useLayoutEffect(() => {
    if (ref.current) put(ref.current, beside);
  });
  useEffect(() => {
    const again = () => ref.current && put(ref.current, beside);
    addEventListener('resize', again);
    return () => removeEventListener('resize', again);
  }, [beside]);
  useEffect(
    () => () => {
      if (before.current instanceof HTMLElement && document.activeElement === document.body) before.current.focus();
    },
    [],
  );
  return { ref, close };
}

/** Pixels to the edges of the window, and to what the card is beside. */
const margin = 8;
/** Narrower screens show it at their bottom, as the style sheet says. */
const narrow = 560;

function put(card: HTMLElement, beside: Box): void {
  if (innerWidth <= narrow) {
    card.removeAttribute('style');
    return;
  }
  const { offsetWidth: width, offsetHeight: height } = card;
  const [after, before] = [beside.right + margin, beside.left - margin - width];
  const isRtl = document.dir === 'rtl';
  const fits = (left: number) => left >= margin && left + width <= innerWidth - margin;
  const [first, second] = isRtl ? [before, after] : [after, before];
  const left = fits(first) ? first : fits(second) ? second : within(beside.left, innerWidth - width);
  card.style.left = `${left}px`;
  card.style.top = `${within(beside.top, innerHeight - height)}px`;
}

const within = (place: number, room: number): number => Math.max(margin, Math.min(place, room - margin));

/** Undefined: not known yet; null: there is no such account. */
function useProfile(id: string): Profile | null | undefined {
  const { client } = useApp();
  const [profile, setProfile] = useState<Profile | null>();
  useEffect(() => {
    let wanted = true;
    client.rest('GET /api/auth/users/:id', { id }).then(
      (found) => wanted && setProfile(found),
      // Whatever else fails, what is known already is shown.
      (error: unknown) => wanted && error instanceof ParleyError && error.status === 404 && setProfile(null),
    );
    return () => {
      wanted = false;
    };
  }, [id]);
  return profile;
}

/** What someone is in a server; null: no member, or not known yet. */
function useMember(server: ServerRecord | null, userId: string): Member | null {
  const { client } = useApp();
  const [member, setMember] = useState<Member | null>(null);
  const serverId = server?.id;
  useEffect(() => {
    if (!serverId) return;
    let wanted = true;
    client.rest('GET /api/servers/:id/members/:userId', { id: serverId, userId }).then(
      (found) => wanted && setMember(found),
      () => {},
    );
    return () => {
      wanted = false;
    };
  }, [serverId, userId]);
  return member;
}

function Membership({ server, member }: { server: ServerRecord; member: Member }) {
  const { shortDate, t } = useTexts();
  const list = useRoles(server);
  const held = list.filter(({ id, builtIn }) =>
    builtIn ? id === member.role && id !== 'member' : member.roles.includes(id),
  );
  return (
    <>
      {held.length > 0 && (
        <ul class="profile-roles" aria-label={t('Roles')}>
          {held.map((role) => (
            <li key={role.id}>
              <RoleBadge role={role} />
            </li>
          ))}
        </ul>
      )}
      <p class="faint">{t('In {server} since {date}', { server: server.name, date: shortDate(member.joinedAt) })}</p>
    </>
  );
}

function OwnActions() {
  const { t } = useTexts();
  const [setting, setSetting] = useState(false);
  return (
    <footer>
      <Button label={t('Set a status')} kind="quiet" onClick={() => setSetting(true)} />
      <a class="button" href={pathTo.settings('profile')}>
        {t('Edit profile')}
      </a>
      {setting && <StatusDialog onClose={() => setSetting(false)} />}
    </footer>
  );
}

function Actions({ user, onDone }: { user: Profile; onDone(): void }) {
  const { t } = useTexts();
  const { people, attempt, showToast } = useApp();
  const { id, username, isBot } = user;
  const isBlocked = people.blocks.value.some(({ userId }) => userId === id);
  const isFriend = people.friends.value.some(({ friendId }) => friendId === id);
  const isAsked = people.sentRequests.value.some(({ friendId }) => friendId === id);
  const act = (work: () => Promise<unknown>) => () => {
    onDone();
    void attempt(work);
  };
  const ask = () => people.requestFriend(username).then(() => showToast(t('Your request was sent.')));
  return (
    <footer>
      <Menu label={t('More')} items={useMore(user, act, onDone)} align="start">
        <Icon name="more" />
      </Menu>
      {isBlocked ? (
        <Button label={t('Unblock')} kind="quiet" onClick={act(() => people.unblock(id))} />
      ) : (
        !isFriend && !isAsked && !isBot && <Button label={t('Add friend')} kind="quiet" onClick={act(ask)} />
      )}
      <Button label={t('Message')} onClick={act(() => people.talkTo(id))} />
    </footer>
  );
}

/** What one seldom does. */
function useMore(user: Profile, act: (work: () => Promise<unknown>) => () => void, onDone: () => void): MenuItem[] {
  const { t } = useTexts();
  const { people, reporting, servers, copy } = useApp();
  const { id, displayName, username } = user;
  const friendship = people.friends.value.find(({ friendId }) => friendId === id);
  const serverId = servers.current.value?.id;
  const report = () => {
    onDone();
    reporting.open({ what: { kind: 'user', userId: id, ...(serverId ? { serverId } : {}) }, name: displayName });
  };
  const items: (MenuItem | false | undefined)[] = [
    { label: t('Copy username'), icon: 'copy', run: () => void copy(username) },
    friendship && { label: t('Remove friend'), icon: 'trash', run: act(() => people.endFriendship(friendship.id)) },
    { label: t('Report'), icon: 'shield', run: report },
    !people.blocks.value.some(({ userId }) => userId === id) && {
      label: t('Block'),
      icon: 'block',
      danger: true,
      run: act(() => people.blockWithToast(user)),
    },
  ];
  return items.filter((item) => item !== false && item !== undefined);
}
