import { useState } from 'preact/hooks';
import type { RestAnswer, RestInput, ServerRecord } from '../../../../client/index.ts';
import { IconButton } from '../parts/Button.tsx';
import { Field, Select, TextArea } from '../parts/Field.tsx';
import { type Fields, Form } from '../parts/Form.tsx';
import { useLoaded } from '../parts/loading.ts';
import { Block, Row } from '../parts/Page.tsx';
import { useApp } from '../useApp.ts';

type Filter = RestAnswer<'GET /api/servers/:id/filters'>[number];
type Kind = Filter['kind'];
type Action = Filter['action'];

const actions: { value: Action; label: string; done: string }[] = [
  { value: 'refuse', label: 'Refuse the message', done: 'refused' },
  { value: 'hold', label: 'Hold it for a moderator', done: 'held for a moderator' },
  { value: 'flag', label: 'Send it, and report it to moderators', done: 'sent, and reported to moderators' },
  { value: 'allow', label: 'Allow the links', done: 'allowed' },
];
const doneOf = (action: Action) => actions.find(({ value }) => value === action)?.done ?? '';

/** Words and links that are not wanted in messages of a server. */
export function Filters({ server }: { server: ServerRecord }) {
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
        title="Words"
        about="Whole words and phrases, in any case, with or without accents. With * at an end the word may go on there: casino* is also casinos."
        hint="One on each line."
      />
      <Entries
        {...parts}
        kind="link"
        title="Links"
        about="example.com also means www.example.com. * means every link. The most exact entry counts."
        hint="One host on each line, such as example.com."
      />
      {rights.may(server, 'server:update') && <NewMembers server={server} />}
      <TestBox serverId={id} hours={server.holdNewMemberLinksHours} />
      <p class="faint">
        Those whose role may skip the filters write what they like. Names of people, channels and the server are not
        looked at.
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
    showToast(added.length === 1 ? 'The entry is added.' : `${added.length} entries are added.`);
  };
  return (
    <Block title={title} about={about}>
      {own?.length === 0 && <p class="empty">There are none.</p>}
      <ul class="people">
        {own?.map((filter) => (
          <Row key={filter.id} name={filter.pattern} about={doneOf(filter.action)}>
            <IconButton icon="trash" label={`Remove ${filter.pattern}`} onClick={() => onRemove(filter)} />
          </Row>
        ))}
      </ul>
      <Form action="Add" work={add} clear>
        <TextArea label={`New ${title.toLowerCase()}`} name="patterns" hint={hint} required />
        <Select
          label="What happens to a message that has one"
          name="action"
          options={actions.filter(({ value }) => kind === 'link' || value !== 'allow')}
        />
      </Form>
    </Block>
  );
}

const actionOf = (text: string): Action => actions.find(({ value }) => value === text)?.value ?? 'refuse';

function NewMembers({ server }: { server: ServerRecord }) {
  const { servers, showToast } = useApp();
  const save = async ({ text }: Fields) => {
    const hours = Number(text('hours'));
    if (!Number.isInteger(hours) || hours < 0 || hours > 720) throw new Error('Type a whole number from 0 to 720.');
    await servers.update(server.id, { holdNewMemberLinksHours: hours });
    showToast('The server is saved.');
  };
  return (
    <Block title="Links of new members" about="Their messages with links wait for a moderator, but for allowed hosts.">
      <Form action="Save" work={save}>
        <Field
          label="Hours after joining"
          name="hours"
          inputmode="numeric"
          value={String(server.holdNewMemberLinksHours)}
          hint="0: links of new members do not wait."
          required
        />
      </Form>
    </Block>
  );
}

function TestBox({ serverId, hours }: { serverId: string; hours: number }) {
  const { client } = useApp();
  const [result, setResult] = useState<string | null>(null);
  const test = async ({ raw }: Fields) => {
    const body = { content: raw('content') };
    const { action, entry, hasLink } = await client.rest('POST /api/servers/:id/filters/test', { id: serverId, body });
    const link = hasLink && hours > 0 ? ' It has a link: from a new member it would wait.' : '';
    setResult(action && entry ? `It is ${doneOf(action)}, for “${entry.pattern}”.${link}` : `It is sent.${link}`);
  };
  return (
    <Block title="Try them" about="What would happen to a message of a member.">
      <Form action="Try" work={test}>
        <TextArea label="Message" name="content" maxlength={16_000} required />
      </Form>
      <p role="status">{result}</p>
    </Block>
  );
}
