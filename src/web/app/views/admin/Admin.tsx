import { useState } from 'preact/hooks';
import type { RestAnswer, RestInput } from '../../../../client/index.ts';
import { decisions } from '../../../../contract/report-decisions.ts';
import type { Message } from '../../../../languages/catalogue.ts';
import { type AdminSection, pathTo } from '../../state/router.ts';
import type { Texts } from '../../state/texts.ts';
import { Avatar } from '../parts/Avatar.tsx';
import { Button, More } from '../parts/Button.tsx';
import { Dialog } from '../parts/Dialog.tsx';
import { Field, Select } from '../parts/Field.tsx';
import { type Fields, Form } from '../parts/Form.tsx';
import type { IconName } from '../parts/Icon.tsx';
import { useLoaded, usePages } from '../parts/loading.ts';
import { Block, Page, Row } from '../parts/Page.tsx';
import { AuditEntries, type AuditEntry } from '../server/AuditEntries.tsx';
import { type Case, CaseList, choicesFor, lengths, type Queue, untilOf } from '../server/CaseList.tsx';
import { type AppState, useApp, useTexts } from '../useApp.ts';

/** The parts of the operators' page, in their order. */
const sections: { section: AdminSection; label: Message; icon: IconName }[] = [
  { section: 'reports', label: 'Reports', icon: 'shield' },
  { section: 'people', label: 'People', icon: 'friends' },
  { section: 'bans', label: 'Bans', icon: 'block' },
  { section: 'log', label: 'Log', icon: 'file' },
];

const logPage = 50;

/** What operators do from within the installation. */
export function Admin({ section }: { section: AdminSection }) {
  const texts = useTexts();
  const { t } = texts;
  const app = useApp();
  const tabs = sections.map(({ section: name, icon, label }) => ({
    icon,
    label: t(label),
    href: pathTo.admin(name),
    current: name === section,
  }));
  if (!app.can('instance:admin')) {
    return (
      <Page title={t('Operators')} back="/app/messages">
        <p class="empty">{t('This page is for the operators of this installation.')}</p>
      </Page>
    );
  }
  return (
    <Page title={t('Operators')} back="/app/messages" tabs={tabs}>
      {section === 'reports' && <CaseList queue={queueOf(texts, app)} on="operators" />}
      {section === 'people' && <People />}
      {section === 'bans' && <Bans />}
      {section === 'log' && <Log />}
    </Page>
  );
}

/** What operators did, by commands and from within. */
function Log() {
  const { t } = useTexts();
  const { client } = useApp();
  const { list, onMore } = usePages<AuditEntry>(
    logPage,
    (known) => {
      const cursor = known.at(-1)?.id;
      return client.rest('GET /api/operator/audit', { query: { limit: logPage, ...(cursor ? { cursor } : {}) } });
    },
    [],
  );
  return (
    <Block
      title={t('Log')}
      about={t('What operators did. Nobody can change it; old entries are deleted after some time.')}
    >
      <AuditEntries list={list} onMore={onMore} />
    </Block>
  );
}

type Action = RestInput<'POST /api/operator/reports/:id/decide'>['body']['action'];

const actions: { value: Action; label: Message }[] = [
  { value: 'dismiss', label: 'Dismiss it' },
  { value: 'delete', label: 'Delete' },
  { value: 'suspend', label: 'Suspend them' },
  { value: 'ban', label: 'Ban them from this installation' },
];

function queueOf({ t }: Texts, { client }: AppState): Queue {
  return {
    about: t('Direct messages, people and servers, what is about owners, and what moderators handed on.'),
    list: (status, cursor) => client.rest('GET /api/operator/reports', { query: { status, cursor } }),
    get: (id) => client.rest('GET /api/operator/reports/:id', { id }),
    choices: (report: Case) => choicesFor(report, actions, decisions[report.kind].operators),
    decide(id, chosen, more) {
      const action = actions.find(({ value }) => value === chosen)?.value ?? 'dismiss';
      return client.rest('POST /api/operator/reports/:id/decide', { id, body: { action, ...more } });
    },
    escalate: null,
  };
}

type Person = RestAnswer<'GET /api/operator/users'>[number];

function People() {
  const { t } = useTexts();
  const { client } = useApp();
  const [search, setSearch] = useState('');
  const { value: list, after } = useLoaded(
    () => client.rest('GET /api/operator/users', { query: { search } }),
    [search],
  );
  return (
    <Block title={t('People')} about={t('The newest accounts, or those whose name or e-mail contains a text.')}>
      <Form action={t('Search')} work={async ({ text }) => setSearch(text('search'))}>
        <Field label={t('Name or e-mail')} name="search" maxlength={320} />
      </Form>
      {list?.length === 0 && <p class="empty">{t('There are none.')}</p>}
      <ul class="people">
        {list?.map((person) => (
          <PersonRow key={person.id} person={person} after={after} />
        ))}
      </ul>
    </Block>
  );
}

function PersonRow({ person, after }: { person: Person; after(change: () => Promise<unknown>): void }) {
  const { t } = useTexts();
  const { client, me } = useApp();
  const isOther = person.id !== me.value?.id;
  const [asking, setAsking] = useState<'suspend' | 'ban' | null>(null);
  const { id, username, email, suspended, isBot } = person;
  const about = [`@${username}`, email, isBot && t('bot'), suspended && t('Suspended')].filter(Boolean).join(' · ');
  return (
    <Row picture={<Avatar user={person} />} name={person.displayName} about={about}>
      {!isBot && suspended && (
        <Button
          label={t('Lift the suspension')}
          kind="quiet"
          onClick={() => after(() => client.rest('DELETE /api/operator/users/:id/suspension', { id }))}
        />
      )}
      {!isBot && isOther && !suspended && (
        <Button label={t('Suspend')} kind="quiet" onClick={() => setAsking('suspend')} />
      )}
      {!isBot && isOther && <Button label={t('Ban')} kind="danger" onClick={() => setAsking('ban')} />}
      {asking && (
        <ShutOut person={person} how={asking} onClose={() => setAsking(null)} onDone={() => after(async () => {})} />
      )}
    </Row>
  );
}

interface ShutOutProps {
  person: Person;
  how: 'suspend' | 'ban';
  onClose(): void;
  onDone(): void;
}

function ShutOut({ person, how, onClose, onDone }: ShutOutProps) {
  const { labelled, t } = useTexts();
  const { client } = useApp();
  const isBan = how === 'ban';
  const work = async ({ text }: Fields) => {
    const given = { reason: text('reason') || null, until: untilOf(text('length')) };
    if (isBan) await client.rest('POST /api/operator/bans', { body: { userId: person.id, ...given } });
    else await client.rest('PUT /api/operator/users/:id/suspension', { id: person.id, body: given });
    onClose();
    onDone();
  };
  return (
    <Dialog
      title={
        isBan ? t('Ban {name}?', { name: person.displayName }) : t('Suspend {name}?', { name: person.displayName })
      }
      onClose={onClose}
    >
      <p>
        {t('They and their bots are shut out at once.')}{' '}
        {isBan && t('A new account with the same mailbox is refused as well.')}
      </p>
      <Form
        action={isBan ? t('Ban') : t('Suspend')}
        work={work}
        beside={<Button label={t('Cancel')} kind="quiet" onClick={onClose} />}
      >
        <Field label={t('Reason')} name="reason" maxlength={500} hint={t('They are told.')} />
        <Select label={t('How long')} name="length" options={labelled(lengths)} />
      </Form>
    </Dialog>
  );
}

type Ban = RestAnswer<'GET /api/operator/bans'>[number];
const pageSize = 100;

function Bans() {
  const texts = useTexts();
  const { t } = texts;
  const { client, attempt } = useApp();
  const { list, load, onMore } = usePages<Ban>(
    pageSize,
    (known) => client.rest('GET /api/operator/bans', { query: { cursor: known.at(-1)?.id } }),
    [],
  );
  const lift = (id: string) => attempt(() => client.rest('DELETE /api/operator/bans/:id', { id }).then(load));
  return (
    <Block
      title={t('Bans')}
      about={t('Who is shut out of this installation, and makes no new account with the same mailbox.')}
    >
      {list?.length === 0 && <p class="empty">{t('Nobody is banned.')}</p>}
      <ul class="people">
        {list?.map((ban) => (
          <Row
            key={ban.id}
            picture={<Avatar user={ban.user} />}
            name={ban.user.displayName}
            about={banText(texts, ban)}
          >
            <Button label={t('Lift the ban')} kind="quiet" onClick={() => void lift(ban.userId)} />
          </Row>
        ))}
      </ul>
      {onMore && <More onMore={onMore} />}
    </Block>
  );
}

function banText({ shortTime, t }: Texts, { reason, createdAt, bannedBy, until }: Ban): string {
  const time = shortTime(createdAt);
  const when = bannedBy ? t('{time} by {name}', { time, name: bannedBy.displayName }) : time;
  return [reason, when, until && t('until {time}', { time: shortTime(until) })].filter(Boolean).join(' · ');
}
