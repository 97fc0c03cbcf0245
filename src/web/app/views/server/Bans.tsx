import { useEffect } from 'preact/hooks';
import type { RestAnswer, ServerRecord } from '../../../../client/index.ts';
import { parley } from '../../state/client.ts';
import type { Member } from '../../state/members.ts';
import { attempt } from '../../state/toasts.ts';
import { Avatar } from '../parts/Avatar.tsx';
import { Button } from '../parts/Button.tsx';
import { Dialog } from '../parts/Dialog.tsx';
import { Field, Select } from '../parts/Field.tsx';
import { type Fields, Form } from '../parts/Form.tsx';
import { useLoaded } from '../parts/loading.ts';
import { Block } from '../parts/Page.tsx';
import { Row } from '../parts/Row.tsx';
import { shortTime } from '../parts/time.ts';

type Ban = RestAnswer<'GET /api/servers/:id/bans'>[number];

/** Who may not enter a server, for those who decide that. */
export function Bans({ server }: { server: ServerRecord }) {
  const { id } = server;
  const {
    value: list,
    load,
    after,
  } = useLoaded(() => parley.rest('GET /api/servers/:id/bans', { id, query: { limit: 200 } }), [id]);
  useEffect(() => {
    const reload = ({ serverId }: { serverId: string }) => void (serverId === id && attempt(load));
    const off = [parley.on('member:banned', reload), parley.on('member:unbanned', reload)];
    return () => {
      for (const end of off) end();
    };
  }, [id]);
  const lift = ({ userId }: Ban) => after(() => parley.rest('DELETE /api/servers/:id/bans/:userId', { id, userId }));
  return (
    <Block
      title="Banned"
      about="They cannot come back in any way, nor can their bots, until the ban ends or is lifted."
    >
      {list?.length === 0 && <p class="empty">Nobody is.</p>}
      <ul class="people">
        {list?.map((ban) => (
          <Row key={ban.id} picture={<Avatar user={ban.user} />} name={ban.user.displayName} about={saidOf(ban)}>
            <Button label={`Lift the ban of ${ban.user.displayName}`} kind="quiet" onClick={() => lift(ban)} />
          </Row>
        ))}
      </ul>
    </Block>
  );
}

function saidOf({ reason, until, bannedByUser, createdAt }: Ban): string {
  const by = `${shortTime(createdAt)}${bannedByUser ? ` by ${bannedByUser.displayName}` : ''}`;
  return [reason, by, until && `until ${shortTime(until)}`].filter(Boolean).join(' · ');
}

const day = 86_400_000;
const lengths = [
  { value: '', label: 'Until it is lifted' },
  { value: String(day), label: 'For a day' },
  { value: String(7 * day), label: 'For a week' },
  { value: String(30 * day), label: 'For 30 days' },
];

interface BanDialogProps {
  server: ServerRecord;
  member: Member;
  onClose(): void;
  onBanned(): void;
}

export function BanDialog({ server, member, onClose, onBanned }: BanDialogProps) {
  const ban = async ({ text }: Fields) => {
    const ms = Number(text('length'));
    const until = ms > 0 ? new Date(Date.now() + ms).toISOString() : null;
    const body = { userId: member.userId, reason: text('reason') || null, until };
    await parley.rest('POST /api/servers/:id/bans', { id: server.id, body });
    onBanned();
    onClose();
  };
  return (
    <Dialog title={`Ban ${member.user.displayName}?`} onClose={onClose}>
      <p>They lose the server and everything in it at once, with their bots, and cannot come back.</p>
      <Form action="Ban" work={ban} beside={<Button label="Cancel" kind="quiet" onClick={onClose} />}>
        <Field label="Reason" name="reason" maxlength={500} hint="They are told when they try to come back." />
        <Select label="How long" name="length" options={lengths} />
      </Form>
    </Dialog>
  );
}
