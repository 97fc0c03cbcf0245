import { useEffect } from 'preact/hooks';
import type { RestAnswer, ServerRecord } from '../../../../client/index.ts';
import type { Message } from '../../../../languages/catalogue.ts';
import type { Member } from '../../state/servers.ts';
import type { Texts } from '../../state/texts.ts';
import { Avatar } from '../parts/Avatar.tsx';
import { Button } from '../parts/Button.tsx';
import { Dialog } from '../parts/Dialog.tsx';
import { Field, Select } from '../parts/Field.tsx';
import { type Fields, Form } from '../parts/Form.tsx';
import { useLoaded } from '../parts/loading.ts';
import { Block, Row } from '../parts/Page.tsx';
import { useApp, useTexts } from '../useApp.ts';
import { MessagesToDelete } from './Restrain.tsx';

type Ban = RestAnswer<'GET /api/servers/:id/bans'>[number];

/** The banned users of a server, for moderators. */
export function Bans({ server }: { server: ServerRecord }) {
  const texts = useTexts();
  const { t } = texts;
  const { client, attempt } = useApp();
  const { id } = server;
  const {
    value: list,
    load,
    after,
  } = useLoaded(() => client.rest('GET /api/servers/:id/bans', { id, query: { limit: 200 } }), [id]);
  useEffect(() => {
    const reload = ({ serverId }: { serverId: string }) => void (serverId === id && attempt(load));
    const off = [client.on('member:banned', reload), client.on('member:unbanned', reload)];
    return () => {
      for (const end of off) end();
    };
  }, [id]);
  const lift = ({ userId }: Ban) => after(() => client.rest('DELETE /api/servers/:id/bans/:userId', { id, userId }));
  return (
    <Block
      title={t('Banned')}
      about={t('They cannot come back in any way, nor can their bots, until the ban ends or is lifted.')}
    >
      {list?.length === 0 && <p class="empty">{t('Nobody is banned.')}</p>}
      <ul class="people">
        {list?.map((ban) => (
          <Row
            key={ban.id}
            picture={<Avatar user={ban.user} />}
            name={ban.user.displayName}
            about={describeBan(texts, ban)}
          >
            <Button
              label={t('Lift the ban of {displayName}', { displayName: ban.user.displayName })}
              kind="quiet"
              onClick={() => lift(ban)}
            />
          </Row>
        ))}
      </ul>
    </Block>
  );
}

function describeBan({ shortTime, t }: Texts, { reason, until, bannedByUser, createdAt }: Ban): string {
  const time = shortTime(createdAt);
  const when = bannedByUser ? t('{time} by {name}', { time, name: bannedByUser.displayName }) : time;
  return [reason, when, until && t('until {time}', { time: shortTime(until) })].filter(Boolean).join(' · ');
}

const day = 86_400_000;
const lengths: { value: string; label: Message }[] = [
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
  const { labelled, t } = useTexts();
  const { client, rights } = useApp();
  const ban = async ({ text }: Fields) => {
    const ms = Number(text('length'));
    const until = ms > 0 ? new Date(Date.now() + ms).toISOString() : null;
    const deleteMessageHours = Number(text('hours')) || null;
    const body = { userId: member.userId, reason: text('reason') || null, until, deleteMessageHours };
    await client.rest('POST /api/servers/:id/bans', { id: server.id, body });
    onBanned();
    onClose();
  };
  return (
    <Dialog title={t('Ban {displayName}?', { displayName: member.user.displayName })} onClose={onClose}>
      <p>{t('They lose the server and everything in it at once, with their bots, and cannot come back.')}</p>
      <Form action={t('Ban')} work={ban} beside={<Button label={t('Cancel')} kind="quiet" onClick={onClose} />}>
        <Field
          label={t('Reason')}
          name="reason"
          maxlength={500}
          hint={t('They are told when they try to come back.')}
        />
        <Select label={t('How long')} name="length" options={labelled(lengths)} />
        {rights.may(server, 'member:delete-messages') && <MessagesToDelete />}
      </Form>
    </Dialog>
  );
}
