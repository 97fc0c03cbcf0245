import { useState } from 'preact/hooks';
import type { ChannelRecord, RestAnswer, ServerRecord } from '../../../../client/index.ts';
import { keptDays } from '../../../../contract/kept-days.ts';
import { daysText, isShorter, typedDays } from '../../state/retention.ts';
import type { Texts } from '../../state/texts.ts';
import { Confirm, Dialog } from '../parts/Dialog.tsx';
import { Check, Field, Select } from '../parts/Field.tsx';
import { type Fields, Form, isTyped } from '../parts/Form.tsx';
import { useLoaded } from '../parts/loading.ts';
import { useApp, useTexts } from '../useApp.ts';

type Expiring = RestAnswer<'GET /api/channels/:id/expiring-messages'>;

/** A change that lets messages go, before it is made. */
interface Planned {
  days: number;
  count(): Promise<Expiring>;
  save(): Promise<void>;
}

/** How long a server keeps messages, and whether it keeps what edited ones said before. */
export function Keeping({ server }: { server: ServerRecord }) {
  const { t } = useTexts();
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
      showToast(t('The server is saved.'));
    };
    const count = () => client.rest('GET /api/servers/:id/expiring-messages', { id, query: { days: days ?? 1 } });
    if (days !== null && isShorter(days, keepMessagesDays)) setPlanned({ days, count, save: change });
    else if (decidesHistory && keepEditHistory && !isChecked('history')) setForgetting(() => change);
    else await change();
  };
  return (
    <>
      <Form class="block" action={t('Save')} work={save}>
        <h2>{t('Messages')}</h2>
        {decidesDays && (
          <DaysField
            value={keepMessagesDays}
            label={t('Delete messages after (days)')}
            hint={t(
              'Leave empty to keep them forever. Channels can have their own setting. Pinned messages, threads and files are deleted too.',
            )}
          />
        )}
        {decidesHistory && (
          <Check
            name="history"
            checked={keepEditHistory}
            label={t('Keep earlier versions of edited messages, for moderators and authors to read')}
          />
        )}
        <p class="hint">
          {t('Members are told about this. If you turn it off, the versions kept so far are deleted.')}
        </p>
      </Form>
      {planned && <ConfirmKeeping planned={planned} onClose={() => setPlanned(null)} />}
      {forgetting && (
        <Confirm
          title={t('Delete all earlier versions?')}
          text={t('Earlier versions of edited messages are deleted for everyone. This cannot be undone.')}
          action={t('Delete them')}
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
  const texts = useTexts();
  const { t } = texts;
  const { client, servers } = useApp();
  const ofServer = servers.current.value?.keepMessagesDays ?? null;
  const { id, serverId, name, keepMessagesDays: own } = channel;
  const [choice, setChoice] = useState<Choice>(own === null ? 'server' : own === 0 ? 'ever' : 'days');
  const [planned, setPlanned] = useState<Planned | null>(null);
  const save = async ({ text }: Fields) => {
    const typed = choice === 'days' ? typedDays(text('days')) : null;
    if (choice === 'days' && typed === null) throw new Error(t('Enter a number of days from 1 to 3650.'));
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
    {
      value: 'server',
      label:
        ofServer === null
          ? t('Server default: forever')
          : t('Server default: {days}', { days: daysText(texts, ofServer) }),
    },
    { value: 'ever', label: t('Forever') },
    { value: 'days', label: t('For a number of days') },
  ];
  if (planned) return <ConfirmKeeping planned={planned} onClose={onClose} />;
  return (
    <Dialog title={t('How long #{name} keeps messages', { name })} onClose={onClose}>
      <Form action={t('Save')} work={save}>
        <Select
          label={t('Messages are kept')}
          value={choice}
          options={options}
          onChange={(value) => setChoice(choiceOf(value))}
        />
        {choice === 'days' && <DaysField value={own || null} label={t('Days')} hint={t('From 1 to 3650.')} />}
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
  const texts = useTexts();
  const { t } = texts;
  const { days, count, save } = planned;
  const { value } = useLoaded(count, [planned]);
  const word = t('delete');
  const confirm = async ({ text }: Fields) => {
    if (!isTyped(text('word'), word)) throw new Error(t('Type “{word}” to go on.', { word }));
    await save();
    onClose();
  };
  return (
    <Dialog title={t('Keep messages for {days} only?', { days: daysText(texts, days) })} onClose={onClose}>
      <p role="status">{value ? expiringText(texts, value) : t('Counting…')}</p>
      <Form action={t('Delete for good')} class="grave" work={confirm}>
        <Field label={t('Type “{name}” to confirm', { name: word })} name="word" required autofocus />
      </Form>
    </Dialog>
  );
}

function expiringText({ t }: Texts, { messages, isMore }: Expiring): string {
  if (messages === 0)
    return t('No message is that old now. From then on, those that get older are deleted for everyone.');
  const count = { count: messages };
  return isMore
    ? t(
        'More than {count, plural, one {# message is} other {# messages are}} older. They are deleted for everyone within minutes, with the files, and cannot be restored.',
        count,
      )
    : t(
        '{count, plural, =1 {One message is older. It is} one {About # message is older. It is} other {About # messages are older. They are}} deleted for everyone within minutes, with the files, and cannot be restored.',
        count,
      );
}
