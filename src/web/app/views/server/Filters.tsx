import { useState } from 'preact/hooks';
import type { RestAnswer, RestInput, ServerRecord } from '../../../../client/index.ts';
import type { Message } from '../../../../languages/catalogue.ts';
import type { Texts } from '../../state/texts.ts';
import { IconButton } from '../parts/Button.tsx';
import { Field, Select, TextArea } from '../parts/Field.tsx';
import { type Fields, Form } from '../parts/Form.tsx';
import { useLoaded } from '../parts/loading.ts';
import { Block, Row } from '../parts/Page.tsx';
import { useApp, useTexts } from '../useApp.ts';

type Filter = RestAnswer<'GET /api/servers/:id/filters'>[number];
type Kind = Filter['kind'];
type Action = Filter['action'];

const actions: { value: Action; label: Message; done: Message }[] = [
  { value: 'refuse', label: 'Refuse the message', done: 'refused' },
  { value: 'hold', label: 'Hold it for a moderator', done: 'held for a moderator' },
  { value: 'flag', label: 'Send it, and report it to moderators', done: 'sent, and reported to moderators' },
  { value: 'allow', label: 'Allow the links', done: 'allowed' },
];
const doneOf = ({ t }: Texts, action: Action) => {
  const known = actions.find(({ value }) => value === action);
  return known ? t(known.done) : '';
};

/** Words and links that are not wanted in messages of a server. */
export function Filters({ server }: { server: ServerRecord }) {
  const { t } = useTexts();
  const { client, rights } = useApp();
  const { id } = server;
  const { value: list, load, after } = useLoaded(() => client.rest('GET /api/servers/:id/filters', { id }), [id]);
  const remove = ({ id: filterId }: Filter) =>
    after(() => client.rest('DELETE /api/servers/:id/filters/:filterId', { id, filterId }));
  const parts = { list, serverId: id, onAdded: load, onRemove: remove };
  return (
    <>
      <Entries
        {...parts}
        kind="word"
        title={t('Words')}
        about={t(
          'Whole words and phrases, in any case, with or without accents. With * at an end the word may go on there: casino* is also casinos.',
        )}
        hint={t('One per line.')}
      />
      <Entries
        {...parts}
        kind="link"
        title={t('Links')}
        about={t('example.com also means www.example.com. * means every link. The most exact entry counts.')}
        hint={t('One host per line, such as example.com.')}
      />
      {rights.may(server, 'server:update') && <NewMembers server={server} />}
      <TestBox serverId={id} hours={server.holdNewMemberLinksHours} />
      <p class="faint">
        {t('Roles that bypass filters are exempt. Names of people, channels and the server are not checked.')}
      </p>
    </>
  );
}

interface EntriesProps {
  kind: Kind;
  title: string;
  about: string;
  hint: string;
  list: readonly Filter[] | null;
  serverId: string;
  onAdded(): Promise<void>;
  onRemove(filter: Filter): void;
}

function Entries({ kind, title, about, hint, list, serverId, onAdded, onRemove }: EntriesProps) {
  const texts = useTexts();
  const { labelled, t } = texts;
  const { client, showToast } = useApp();
  const own = list?.filter((one) => one.kind === kind);
  const add = async ({ text }: Fields) => {
    const lines = text('patterns').split('\n');
    const patterns = lines.map((line) => line.trim()).filter((line) => line !== '');
    const body: RestInput<'POST /api/servers/:id/filters'>['body'] = {
      kind,
      action: actionOf(text('action')),
      patterns,
    };
    const added = await client.rest('POST /api/servers/:id/filters', { id: serverId, body });
    await onAdded();
    showToast(t('{count, plural, one {The entry is} other {# entries are}} added.', { count: added.length }));
  };
  return (
    <Block title={title} about={about}>
      {own?.length === 0 && <p class="empty">{t('No filters yet.')}</p>}
      <ul class="people">
        {own?.map((filter) => (
          <Row key={filter.id} name={filter.pattern} about={doneOf(texts, filter.action)}>
            <IconButton
              icon="trash"
              label={t('Remove {pattern}', { pattern: filter.pattern })}
              onClick={() => onRemove(filter)}
            />
          </Row>
        ))}
      </ul>
      <Form action={t('Add')} work={add} clear>
        <TextArea label={kind === 'word' ? t('New words') : t('New links')} name="patterns" hint={hint} required />
        <Select
          label={t('What happens to a message that matches')}
          name="action"
          options={labelled(actions.filter(({ value }) => kind === 'link' || value !== 'allow'))}
        />
      </Form>
    </Block>
  );
}

const actionOf = (text: string): Action => actions.find(({ value }) => value === text)?.value ?? 'refuse';

function NewMembers({ server }: { server: ServerRecord }) {
  const { t } = useTexts();
  const { servers, showToast } = useApp();
  const save = async ({ text }: Fields) => {
    const hours = Number(text('hours'));
    if (!Number.isInteger(hours) || hours < 0 || hours > 720) throw new Error(t('Enter a whole number from 0 to 720.'));
    await servers.update(server.id, { holdNewMemberLinksHours: hours });
    showToast(t('The server is saved.'));
  };
  return (
    <Block
      title={t('Links of new members')}
      about={t('Their messages with links are held for a moderator, except links to allowed hosts.')}
    >
      <Form action={t('Save')} work={save}>
        <Field
          label={t('Hours after joining')}
          name="hours"
          inputmode="numeric"
          value={String(server.holdNewMemberLinksHours)}
          hint={t('0: links of new members do not wait.')}
          required
        />
      </Form>
    </Block>
  );
}

function TestBox({ serverId, hours }: { serverId: string; hours: number }) {
  const texts = useTexts();
  const { t } = texts;
  const { client } = useApp();
  const [result, setResult] = useState<string | null>(null);
  const test = async ({ raw }: Fields) => {
    const body = { content: raw('content') };
    const { action, entry, hasLink } = await client.rest('POST /api/servers/:id/filters/test', { id: serverId, body });
    const said =
      action && entry
        ? t('It is {what}, for “{pattern}”.', { what: doneOf(texts, action), pattern: entry.pattern })
        : t('It is sent.');
    const waits = hasLink && hours > 0;
    setResult(waits ? `${said} ${t('It has a link: from a new member it would be held.')}` : said);
  };
  return (
    <Block title={t('Test the filters')} about={t('See what would happen to a member’s message.')}>
      <Form action={t('Test')} work={test}>
        <TextArea label={t('Message')} name="content" maxlength={16_000} required />
      </Form>
      <p role="status">{result}</p>
    </Block>
  );
}
