import { useState } from 'preact/hooks';
import type { ChannelRecord, RestAnswer, ServerRecord } from '../../../../client/index.ts';
import { keptDays } from '../../../../contract/kept-days.ts';
import { daysText, isShorter, typedDays } from '../../state/retention.ts';
import { Confirm, Dialog } from '../parts/Dialog.tsx';
import { Check, Field, Select } from '../parts/Field.tsx';
import { type Fields, Form } from '../parts/Form.tsx';
import { useLoaded } from '../parts/loading.ts';
import { useApp } from '../useApp.ts';

type Expiring = RestAnswer<'GET /api/channels/:id/expiring-messages'>;

/** A change that lets messages go, before it is made. */
interface Planned {
  days: number;
  count(): Promise<Expiring>;
  save(): Promise<void>;
}

/** How long a server keeps messages, and whether it keeps what edited ones said before. */
export function Keeping({ server }: { server: ServerRecord }) {
  const { servers, client, rights, showToast, attempt } = useApp();
  const { id, keepMessagesDays, keepEditHistory } = server;
  const [planned, setPlanned] = useState<Planned | null>(null);
  const [forgetting, setForgetting] = useState<(() => Promise<void>) | null>(null);
  const [decidesDays, decidesHistory] = [rights.may(server, 'retention:set'), rights.may(server, 'server:update')];
  const save = async ({ text, isChecked }: Fields) => {
    const days = decidesDays ? typedDays(text('days')) : keepMessagesDays;
    const change = async (): Promise<void> => {
      await servers.update(id, {
        ...(decidesDays ? { keepMessagesDays: days } : {}),
        ...(decidesHistory ? { keepEditHistory: isChecked('history') } : {}),
      });
      showToast('The server is saved.');
    };
    const count = () => client.rest('GET /api/servers/:id/expiring-messages', { id, query: { days: days ?? 1 } });
    if (days !== null && isShorter(days, keepMessagesDays)) setPlanned({ days, count, save: change });
    else if (decidesHistory && keepEditHistory && !isChecked('history')) setForgetting(() => change);
    else await change();
  };
  return (
    <>
      <Form class="block" action="Save" work={save}>
        <h2>Messages</h2>
        {decidesDays && (
          <DaysField
            value={keepMessagesDays}
            label="Delete messages after so many days"
            hint="Empty: they are kept for ever. Channels may have their own number. Pinned messages, threads and files go too."
          />
        )}
        {decidesHistory && (
          <Check
            name="history"
            checked={keepEditHistory}
            label="Keep earlier versions of edited messages, for moderators and authors to read"
          />
        )}
        <p class="hint">Everyone here is told of both. If you untick this, the versions kept so far are deleted.</p>
      </Form>
      {planned && <ConfirmKeeping planned={planned} onClose={() => setPlanned(null)} />}
      {forgetting && (
        <Confirm
          title="Delete all earlier versions?"
          text="What edited messages said before is deleted for everyone. This cannot be undone."
          action="Delete them"
          onClose={() => setForgetting(null)}
          onConfirm={() => void attempt(forgetting)}
        />
      )}
    </>
  );
}

const choices = ['server', 'ever', 'days'] as const;
type Choice = (typeof choices)[number];
const choiceOf = (value: string): Choice => choices.find((choice) => choice === value) ?? 'server';

/** The same of one channel. */
export function ChannelKeeping({ channel, onClose }: { channel: ChannelRecord; onClose(): void }) {
  const { client, servers } = useApp();
  const ofServer = servers.current.value?.keepMessagesDays ?? null;
  const { id, serverId, name, keepMessagesDays: own } = channel;
  const [choice, setChoice] = useState<Choice>(own === null ? 'server' : own === 0 ? 'ever' : 'days');
  const [planned, setPlanned] = useState<Planned | null>(null);
  const save = async ({ text }: Fields) => {
    const typed = choice === 'days' ? typedDays(text('days')) : null;
    if (choice === 'days' && typed === null) throw new Error('Type a number of days from 1 to 3650.');
    const chosen = choice === 'ever' ? 0 : typed;
    const change = async (): Promise<void> => {
      await client.rest('PATCH /api/channels/:id', { id, body: { keepMessagesDays: chosen } });
      if (serverId) await servers.loadChannels(serverId);
      onClose();
    };
    const days = keptDays(chosen, ofServer);
    const count = () => client.rest('GET /api/channels/:id/expiring-messages', { id, query: { days: days ?? 1 } });
    if (days !== null && isShorter(days, keptDays(own, ofServer))) setPlanned({ days, count, save: change });
    else await change();
  };
  const options = [
    { value: 'server', label: `As the server: ${ofServer === null ? 'for ever' : daysText(ofServer)}` },
    { value: 'ever', label: 'For ever' },
    { value: 'days', label: 'For a number of days' },
  ];
  if (planned) return <ConfirmKeeping planned={planned} onClose={onClose} />;
  return (
    <Dialog title={`How long #${name} keeps messages`} onClose={onClose}>
      <Form action="Save" work={save}>
        <Select
          label="Messages are kept"
          value={choice}
          options={options}
          onChange={(value) => setChoice(choiceOf(value))}
        />
        {choice === 'days' && <DaysField value={own || null} label="Days" hint="From 1 to 3650." />}
      </Form>
    </Dialog>
  );
}

function DaysField({ value, label, hint }: { value: number | null; label: string; hint: string }) {
  return (
    <Field label={label} name="days" inputmode="numeric" maxlength={4} value={value?.toString() ?? ''} hint={hint} />
  );
}

/** What the change does is typed to confirm it, since nothing brings the messages back. */
function ConfirmKeeping({ planned, onClose }: { planned: Planned; onClose(): void }) {
  const { days, count, save } = planned;
  const { value } = useLoaded(count, [planned]);
  const confirm = async ({ text }: Fields) => {
    if (text('word').toLowerCase() !== 'delete') throw new Error('Type “delete” to go on.');
    await save();
    onClose();
  };
  return (
    <Dialog title={`Keep messages for ${daysText(days)} only?`} onClose={onClose}>
      <p role="status">{value ? expiringText(value) : 'Counting…'}</p>
      <Form action="Delete for good" class="grave" work={confirm}>
        <Field label="Type “delete” to confirm" name="word" required autofocus />
      </Form>
    </Dialog>
  );
}

function expiringText({ messages, isMore }: Expiring): string {
  if (messages === 0) return 'No message is that old now. From then on, those that get older are deleted for everyone.';
  const end = 'deleted for everyone within minutes, with the files, and cannot be restored.';
  if (messages === 1) return `One message is older. It is ${end}`;
  return `${isMore ? 'More than' : 'About'} ${messages} messages are older. They are ${end}`;
}
