import { useEffect, useState } from 'preact/hooks';
import type { RestAnswer, ServerRecord } from '../../../../client/index.ts';
import type { Message } from '../../../../languages/catalogue.ts';
import { pathTo } from '../../state/router.ts';
import { isReadable } from '../../state/servers.ts';
import type { Texts } from '../../state/texts.ts';
import { Avatar } from '../parts/Avatar.tsx';
import { Button } from '../parts/Button.tsx';
import { Confirm, Dialog } from '../parts/Dialog.tsx';
import { Check, CopyField, Select } from '../parts/Field.tsx';
import { type Fields, Form } from '../parts/Form.tsx';
import { useLoaded } from '../parts/loading.ts';
import { Block, Row } from '../parts/Page.tsx';
import { useApp, useTexts } from '../useApp.ts';

type Link = RestAnswer<'GET /api/servers/:id/invites'>[number];

export const inviteLink = (code: string): string => location.origin + pathTo.invite(code);

/** The links of the user, or all of a server for those who manage them, kept up to date. */
function useLinks(id: string, all: boolean) {
  const { client, attempt } = useApp();
  const query = all ? { limit: 200 } : { open: 'true' as const };
  const {
    value: links,
    load,
    after,
  } = useLoaded(() => client.rest('GET /api/servers/:id/invites', { id, query }), [id, all]);
  useEffect(() => {
    const again = ({ serverId }: { serverId: string }) => {
      if (serverId === id) void attempt(load);
    };
    const off = [
      client.on('invite:created', again),
      client.on('invite:used', again),
      client.on('invite:deleted', again),
    ];
    return () => {
      for (const end of off) end();
    };
  }, [id, all]);
  return { links, after };
}

/** Links with an end, a number of uses or a channel. */
export function InviteLinks({ server }: { server: ServerRecord }) {
  const { t } = useTexts();
  const { rights } = useApp();
  const [all, setAll] = useState(false);
  const { links, after } = useLinks(server.id, all);
  const about = rights.may(server, 'invite:manage')
    ? t('Links of all members. A link ends when its creator is removed or banned.')
    : t('Your own links. You see who joined with them.');
  return (
    <Block title={t('More invite links')} about={about}>
      {rights.may(server, 'invite:create') && <NewLink server={server} onMade={() => after(async () => {})} />}
      <Check label={t('Show expired ones too')} checked={all} onChange={setAll} />
      {links?.length === 0 && <p class="empty">{t('There are no invite links yet.')}</p>}
      <ul class="people">
        {links?.map((link) => (
          <LinkRow key={link.id} link={link} after={after} />
        ))}
      </ul>
    </Block>
  );
}

const ends: { value: string; label: Message }[] = [
  { value: '3600', label: 'After an hour' },
  { value: '86400', label: 'After a day' },
  { value: '604800', label: 'After a week' },
  { value: '', label: 'Never' },
];
/** How many people a link lets in; with none, any number. */
const numbers = [null, 1, 5, 10, 50, 100];

const numbersIn = ({ t }: Texts) =>
  numbers.map((count) => ({
    value: count === null ? '' : String(count),
    label:
      count === null ? t('No limit') : t('{count, plural, =1 {One person} one {# person} other {# people}}', { count }),
  }));

/** Makes a link, and shows it to copy. */
export function NewLink({ server, onMade }: { server: ServerRecord; onMade?(): void }) {
  const texts = useTexts();
  const { t } = texts;
  const { client, servers } = useApp();
  const [made, setMade] = useState<string | null>(null);
  const channels = servers.channels.value.get(server.id)?.filter(isReadable) ?? [];
  const places = [
    { value: '', label: t('The server') },
    ...channels.map(({ id, name }) => ({ value: id, label: `#${name}` })),
  ];
  const make = async ({ text }: Fields) => {
    const [expiresIn, maxUses, channelId] = [text('expiresIn'), text('maxUses'), text('channelId')];
    const body = {
      ...(expiresIn ? { expiresIn: Number(expiresIn) } : {}),
      ...(maxUses ? { maxUses: Number(maxUses) } : {}),
      ...(channelId ? { channelId } : {}),
    };
    const { inviteCode } = await client.rest('POST /api/servers/:id/invites', { id: server.id, body });
    setMade(inviteCode ?? null);
    onMade?.();
  };
  return (
    <>
      <Form action={t('Create a link')} work={make}>
        <Select label={t('Expires')} name="expiresIn" value="604800" options={texts.labelled(ends)} />
        <Select label={t('Number of uses')} name="maxUses" value="" options={numbersIn(texts)} />
        <Select label={t('Opens in')} name="channelId" value="" options={places} />
      </Form>
      {made && <CopyField label={t('Your new link')} value={inviteLink(made)} />}
    </>
  );
}

function LinkRow({ link, after }: { link: Link; after(change: () => Promise<unknown>): void }) {
  const texts = useTexts();
  const { t } = texts;
  const { client, copy } = useApp();
  const [open, setOpen] = useState<'who' | 'end' | null>(null);
  const close = () => setOpen(null);
  const { id: inviteId, serverId: id, createdByUser: maker, inviteCode } = link;
  return (
    <Row name={maker?.displayName ?? t('Deleted user')} about={aboutLink(texts, link)}>
      {link.isOpen && inviteCode && navigator.clipboard && (
        <Button label={t('Copy')} kind="quiet" onClick={() => void copy(inviteLink(inviteCode))} />
      )}
      {link.uses > 0 && <Button label={t('Who joined')} kind="quiet" onClick={() => setOpen('who')} />}
      {link.isOpen && <Button label={t('End')} kind="quiet" onClick={() => setOpen('end')} />}
      {open === 'who' && <WhoCame link={link} onClose={close} />}
      {open === 'end' && (
        <Confirm
          title={t('End the link of {name}?', { name: maker?.displayName ?? t('Deleted user') })}
          text={t('Nobody can join with it any more. Members stay members.')}
          action={t('End the link')}
          onClose={close}
          onConfirm={() => after(() => client.rest('DELETE /api/servers/:id/invites/:inviteId', { id, inviteId }))}
        />
      )}
    </Row>
  );
}

function aboutLink({ shortTime, t }: Texts, { isOpen, uses, maxUses, expiresAt, revokedAt }: Link): string {
  const used =
    maxUses === null
      ? t('used {count, plural, =1 {once} one {# time} other {# times}}', { count: uses })
      : t('used {uses} of {count, plural, one {# time} other {# times}}', { uses, count: maxUses });
  if (revokedAt) return t('Ended, {used}', { used });
  if (!isOpen) return t('Expired, {used}', { used });
  return expiresAt
    ? t('Until {time}, {used}', { time: shortTime(expiresAt), used })
    : t('Never expires, {used}', { used });
}

function WhoCame({ link: { id: inviteId, serverId: id }, onClose }: { link: Link; onClose(): void }) {
  const { shortTime, t } = useTexts();
  const { client } = useApp();
  const { value: members } = useLoaded(
    () => client.rest('GET /api/servers/:id/invites/:inviteId/members', { id, inviteId }),
    [inviteId],
  );
  return (
    <Dialog title={t('Who joined with this link')} onClose={onClose}>
      {members?.length === 0 && <p class="empty">{t('Nobody who joined with it is here now.')}</p>}
      <ul class="people found">
        {members?.map(({ userId, user, joinedAt }) => (
          <Row
            key={userId}
            picture={<Avatar user={user} size="small" />}
            name={user.displayName}
            about={t('@{username}, joined {time}', { username: user.username, time: shortTime(joinedAt) })}
          />
        ))}
      </ul>
    </Dialog>
  );
}
