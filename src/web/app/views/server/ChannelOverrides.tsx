import { useEffect, useState } from 'preact/hooks';
import type { ChannelRecord, RestAnswer, RestInput, ServerRecord } from '../../../../client/index.ts';
import { ranksAbove, ranksAboveRole } from '../../../../contract/standing.ts';
import type { Message } from '../../../../languages/catalogue.ts';
import type { RoleRecord } from '../../state/roles.ts';
import type { Member } from '../../state/servers.ts';
import type { Texts } from '../../state/texts.ts';
import { Button } from '../parts/Button.tsx';
import { Dialog } from '../parts/Dialog.tsx';
import { PickAndAdd, Select } from '../parts/Field.tsx';
import { Form } from '../parts/Form.tsx';
import { useLoaded } from '../parts/loading.ts';
import { Row } from '../parts/Page.tsx';
import { useApp, useTexts } from '../useApp.ts';
import { ownStanding, standingOf, useRoles } from './useRoles.ts';

type Override = RestAnswer<'GET /api/channels/:id/overrides'>[number];
type Right = Override['allow'][number];
type Lists = RestInput<'PUT /api/channels/:id/overrides/roles/:role'>['body'];

/** A role, by its id or the name of a fixed one, or a person. */
type Subject = { role: string } | { userId: string };

const words: Record<Right, Message> = {
  view: 'See the channel',
  post: 'Write messages',
  react: 'React to messages',
  thread: 'Start threads',
  attach: 'Add files',
  mentionAll: 'Mention everyone',
  manage: 'Manage the channel',
};

const isRight = (name: string): name is Right => Object.hasOwn(words, name);
const rights = Object.keys(words).filter(isRight);

const subjectOf = ({ builtIn, roleId, userId }: Override): Subject =>
  userId ? { userId } : { role: builtIn ?? roleId ?? '' };

const keyOf = (subject: Subject): string => ('userId' in subject ? `user ${subject.userId}` : subject.role);

interface ChannelOverridesProps {
  channel: ChannelRecord;
  server: ServerRecord;
  onClose(): void;
}

/** What a channel allows or denies roles and people apart from the server. */
export function ChannelOverrides({ channel, server, onClose }: ChannelOverridesProps) {
  const texts = useTexts();
  const { t } = texts;
  const app = useApp();
  const { client, servers, attempt } = app;
  const { id } = channel;
  const [editing, setEditing] = useState<Subject | null>(null);
  const roles = useRoles(server);
  const { value: members } = useLoaded(() => servers.membersOf(server.id), [server.id]);
  const { value: list, load, after } = useLoaded(() => client.rest('GET /api/channels/:id/overrides', { id }), [id]);
  useEffect(() => client.channel(id).listen('channel:overridden', () => void attempt(load)), [id]);
  const mine = ownStanding(app, server);
  const mayEdit = (subject: Subject): boolean => {
    if ('userId' in subject) {
      const member = members?.find(({ userId }) => userId === subject.userId);
      return !member || ranksAbove(mine, standingOf(app, server, member));
    }
    const own = roles.find(({ id, builtIn }) => !builtIn && id === subject.role);
    if (own) return ranksAboveRole(mine, own.position);
    return ranksAbove(mine, { role: subject.role === 'moderator' ? 'moderator' : 'member', place: 0 });
  };
  const nameFor = (subject: Subject) => nameOf(texts, subject, roles, members ?? []);
  const close = () => {
    setEditing(null);
    after(() => servers.loadChannels(server.id));
  };
  if (editing) {
    const known = list?.find((override) => keyOf(subjectOf(override)) === keyOf(editing));
    const title = t('{name} in #{channel}', { name: nameFor(editing), channel: channel.name });
    const isBot = 'userId' in editing && members?.find(({ userId }) => userId === editing.userId)?.user.isBot;
    return <EditOverride {...{ channel, title, known }} isBot={isBot ?? false} subject={editing} onClose={close} />;
  }
  return (
    <Dialog title={t('Permissions in #{name}', { name: channel.name })} onClose={onClose}>
      <p class="faint">
        {t(
          'Give roles and people other permissions here than in the rest of the server. The owner and admins are never limited.',
        )}
      </p>
      {list?.length === 0 && <p class="empty">{t('Permissions are the same as in the rest of the server.')}</p>}
      <ul class="people">
        {list?.map((override) => {
          const subject = subjectOf(override);
          const name = nameFor(subject);
          return (
            <Row key={keyOf(subject)} name={name} about={aboutOverride(texts, override)}>
              {mayEdit(subject) && (
                <Button label={t('Change {name}', { name })} kind="quiet" onClick={() => setEditing(subject)} />
              )}
              {mayEdit(subject) && !isOnlyPrivacy(override) && (
                <Button
                  label={t('Remove {name}', { name })}
                  kind="quiet"
                  onClick={() => after(() => remove(client, id, subject))}
                />
              )}
            </Row>
          );
        })}
      </ul>
      <p class="hint">{t('People who were let in and may do nothing else are under Members.')}</p>
      {list && <Add {...{ list, roles, members: members ?? [], mayEdit }} onAdd={setEditing} />}
    </Dialog>
  );
}

/** What the list says of everyone in a private channel, where nothing else is set: there is nothing to remove. */
const isOnlyPrivacy = ({ builtIn, allow, deny }: Override): boolean =>
  builtIn === 'member' && [...allow, ...deny].every((right) => right === 'view');

function nameOf({ t }: Texts, subject: Subject, roles: readonly RoleRecord[], members: readonly Member[]): string {
  if ('userId' in subject) {
    const found = members.find(({ userId }) => userId === subject.userId);
    return found ? `@${found.user.username}` : t('Someone');
  }
  if (subject.role === 'member') return t('Everyone');
  if (subject.role === 'moderator') return t('Moderators');
  return roles.find(({ id }) => id === subject.role)?.name ?? t('A role');
}

function aboutOverride({ t, listed }: Texts, { allow, deny }: Override): string {
  const what = (names: readonly Right[]) => listed(names.map((name) => t(words[name])));
  const parts = [
    allow.length > 0 && t('May: {what}', { what: what(allow) }),
    deny.length > 0 && t('May not: {what}', { what: what(deny) }),
  ];
  return parts.filter(Boolean).join('. ') || t('Same as the server');
}

const remove = (client: ReturnType<typeof useApp>['client'], id: string, subject: Subject) =>
  'userId' in subject
    ? client.rest('DELETE /api/channels/:id/overrides/users/:userId', { id, userId: subject.userId })
    : client.rest('DELETE /api/channels/:id/overrides/roles/:role', { id, role: subject.role });

interface AddProps {
  list: readonly Override[];
  roles: readonly RoleRecord[];
  members: readonly Member[];
  mayEdit(subject: Subject): boolean;
  onAdd(subject: Subject): void;
}

/** Roles and people that the channel has nothing for yet. */
function Add({ list, roles, members, mayEdit, onAdd }: AddProps) {
  const { t } = useTexts();
  const known = new Set(list.map((override) => keyOf(subjectOf(override))));
  const own = roles.filter(({ builtIn }) => !builtIn).map(({ id, name }) => ({ value: id, label: name }));
  const fixed = [
    { value: 'member', label: t('Everyone') },
    { value: 'moderator', label: t('Moderators') },
  ];
  const people = members
    .filter(({ userId, role }) => role !== 'owner' && role !== 'admin' && !known.has(keyOf({ userId })))
    .filter(({ userId }) => mayEdit({ userId }))
    .map(({ userId, user }) => ({ value: userId, label: `${user.displayName} (@${user.username})` }));
  return (
    <>
      <PickAndAdd
        label={t('A role')}
        options={[...fixed, ...own].filter(({ value }) => !known.has(value) && mayEdit({ role: value }))}
        onAdd={(role) => onAdd({ role })}
      />
      <PickAndAdd label={t('A person')} options={people} onAdd={(userId) => onAdd({ userId })} />
    </>
  );
}

interface EditOverrideProps {
  channel: ChannelRecord;
  title: string;
  subject: Subject;
  known: Override | undefined;
  /** A bot sees a channel while it is a member of it. */
  isBot: boolean;
  onClose(): void;
}

const choices: { value: string; label: Message }[] = [
  { value: 'allow', label: 'Allow' },
  { value: '', label: 'Same as the server' },
  { value: 'deny', label: 'Deny' },
];

function EditOverride({ channel, title, subject, known, isBot, onClose }: EditOverrideProps) {
  const { labelled, t } = useTexts();
  const { client } = useApp();
  const { id } = channel;
  const isEveryone = 'role' in subject && subject.role === 'member';
  // What is chosen stays when others change something meanwhile.
  const [chosen, setChosen] = useState(() => chosenIn(known, isEveryone ? channel : null));
  const save = async () => {
    const those = (choice: string) => rights.filter((right) => chosen.get(right) === choice);
    const body: Lists = { allow: those('allow'), deny: those('deny') };
    if ('userId' in subject) {
      await client.rest('PUT /api/channels/:id/overrides/users/:userId', { id, userId: subject.userId, body });
    } else await client.rest('PUT /api/channels/:id/overrides/roles/:role', { id, role: subject.role, body });
    onClose();
  };
  const shown = isBot ? rights.filter((right) => right !== 'view') : rights;
  // Whether everyone sees a channel is decided here alone.
  const optionsFor = (right: Right) =>
    labelled(isEveryone && right === 'view' ? choices.filter(({ value }) => value !== '') : choices);
  return (
    <Dialog title={title} onClose={onClose}>
      <Form action={t('Save')} work={save} beside={<Button label={t('Back')} kind="quiet" onClick={onClose} />}>
        {shown.map((right) => (
          <Select
            key={right}
            label={t(words[right])}
            value={chosen.get(right) ?? ''}
            options={optionsFor(right)}
            onChange={(choice) => setChosen(new Map(chosen).set(right, choice))}
          />
        ))}
      </Form>
    </Dialog>
  );
}

/** What is set, by right. @param open the channel where it is about everyone, whom it is private for or not */
function chosenIn(known: Override | undefined, open: ChannelRecord | null): ReadonlyMap<Right, string> {
  const chosen = new Map<Right, string>();
  for (const right of known?.allow ?? []) chosen.set(right, 'allow');
  for (const right of known?.deny ?? []) chosen.set(right, 'deny');
  if (open) chosen.set('view', open.isPrivate ? 'deny' : 'allow');
  return chosen;
}
