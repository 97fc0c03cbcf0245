import { useState } from 'preact/hooks';
import type { RestAnswer, ServerRecord } from '../../../../client/index.ts';
import type { RoleRecord } from '../../state/roles.ts';
import type { Member } from '../../state/servers.ts';
import type { Texts } from '../../state/texts.ts';
import { Button } from '../parts/Button.tsx';
import { Dialog } from '../parts/Dialog.tsx';
import { Check, PickAndAdd } from '../parts/Field.tsx';
import { Form } from '../parts/Form.tsx';
import { useLoaded } from '../parts/loading.ts';
import { Row } from '../parts/Page.tsx';
import { useApp, useTexts } from '../useApp.ts';
import { useRoles } from './useRoles.ts';

type Commands = RestAnswer<'GET /api/servers/:id/agents/:agentId/commands'>;
type Rule = NonNullable<Commands['rule']>;

/** What a rule is about, in the place of a command: all that have none of their own. */
const all = '*';

interface BotCommandsProps {
  server: ServerRecord;
  agentId: string;
}

/** A command, or all, with who may use it; null: everyone, as far as no rule is for all. */
interface Ruled {
  command: string;
  rule: Rule | null;
}

/** Who may use the commands of a bot in a server. */
export function BotCommands({ server, agentId }: BotCommandsProps) {
  const texts = useTexts();
  const { t } = texts;
  const { client, servers } = useApp();
  const [editing, setEditing] = useState<Ruled | null>(null);
  const roles = useRoles(server).filter(({ builtIn }) => !builtIn);
  const params = { id: server.id, agentId };
  const { value, load } = useLoaded(
    async () => ({
      found: await client.rest('GET /api/servers/:id/agents/:agentId/commands', params),
      members: await servers.membersOf(server.id),
    }),
    [server.id, agentId],
  );
  if (!value || value.found.commands.length === 0) return null;
  const { found, members } = value;
  const own = found.commands.map(({ name, rule }) => ({ command: name, rule }));
  const save = async (command: string, rule: Rule | null) => {
    const path = { ...params, command };
    if (rule) {
      await client.rest('PUT /api/servers/:id/agents/:agentId/commands/:command/rule', { ...path, body: rule });
    } else await client.rest('DELETE /api/servers/:id/agents/:agentId/commands/:command/rule', path);
    setEditing(null);
    load();
  };
  return (
    <>
      <h3>{t('Who may use its commands')}</h3>
      <ul class="people">
        {[{ command: all, rule: found.rule }, ...own].map((ruled) => {
          const name = nameOf(texts, ruled);
          const about = aboutRule(texts, ruled, roles, members);
          return (
            <Row key={ruled.command} name={name} about={about}>
              <Button label={t('Change {name}', { name })} kind="quiet" onClick={() => setEditing(ruled)} />
            </Row>
          );
        })}
      </ul>
      {editing && <EditRule {...{ editing, roles, members, save }} onClose={() => setEditing(null)} />}
    </>
  );
}

const nameOf = ({ t }: Texts, { command }: Ruled): string => (command === all ? t('All commands') : `/${command}`);

function aboutRule({ t, listed }: Texts, { command, rule }: Ruled, roles: readonly RoleRecord[], members: Member[]) {
  if (!rule) return command === all ? t('Everyone') : t('Same as for all commands');
  const named = roles.filter(({ id }) => rule.roleIds.includes(id)).map(({ name }) => name);
  const people = members.filter(({ userId }) => rule.userIds.includes(userId)).map(({ user }) => `@${user.username}`);
  return listed([t('Admins'), ...(rule.moderators ? [t('Moderators')] : []), ...named, ...people]);
}

const toggled = (ids: string[], id: string, isIn: boolean) => [
  ...ids.filter((one) => one !== id),
  ...(isIn ? [id] : []),
];

interface EditRuleProps {
  editing: Ruled;
  roles: readonly RoleRecord[];
  members: Member[];
  save(command: string, rule: Rule | null): Promise<void>;
  onClose(): void;
}

function EditRule({ editing, roles, members, save, onClose }: EditRuleProps) {
  const texts = useTexts();
  const { t } = texts;
  const [isLimited, setLimited] = useState(editing.rule !== null);
  const [rule, setRule] = useState<Rule>(editing.rule ?? { moderators: false, roleIds: [], userIds: [] });
  const people = members.filter(({ userId }) => rule.userIds.includes(userId));
  const others = members.filter(({ userId, user }) => !user.isBot && !rule.userIds.includes(userId));
  return (
    <Dialog title={nameOf(texts, editing)} onClose={onClose}>
      <Form
        action={t('Save')}
        work={() => save(editing.command, isLimited ? rule : null)}
        beside={<Button label={t('Back')} kind="quiet" onClick={onClose} />}
      >
        <Check label={t('Only some may use it')} checked={isLimited} onChange={setLimited} />
        {isLimited && (
          <>
            <p class="hint">{t('The owner and admins always may.')}</p>
            <Check
              label={t('Moderators')}
              checked={rule.moderators}
              onChange={(moderators) => setRule({ ...rule, moderators })}
            />
            {roles.map(({ id, name }) => (
              <Check
                key={id}
                label={name}
                checked={rule.roleIds.includes(id)}
                onChange={(isIn) => setRule({ ...rule, roleIds: toggled(rule.roleIds, id, isIn) })}
              />
            ))}
            {people.map(({ userId, user }) => (
              <Check
                key={userId}
                label={`${user.displayName} (@${user.username})`}
                checked
                onChange={(isIn) => setRule({ ...rule, userIds: toggled(rule.userIds, userId, isIn) })}
              />
            ))}
            <PickAndAdd
              label={t('A person')}
              options={others.map(({ userId, user }) => ({
                value: userId,
                label: `${user.displayName} (@${user.username})`,
              }))}
              onAdd={(userId) => setRule({ ...rule, userIds: toggled(rule.userIds, userId, true) })}
            />
          </>
        )}
      </Form>
    </Dialog>
  );
}
