import { useState } from 'preact/hooks';
import type { ChannelRecord, RestAnswer } from '../../../../client/index.ts';
import type { Texts } from '../../state/texts.ts';
import { Avatar } from '../parts/Avatar.tsx';
import { IconButton } from '../parts/Button.tsx';
import { Confirm, Dialog } from '../parts/Dialog.tsx';
import { Check, Field, Secret, Select } from '../parts/Field.tsx';
import { type Fields, Form } from '../parts/Form.tsx';
import { useLoaded } from '../parts/loading.ts';
import { Row } from '../parts/Page.tsx';
import { PictureField } from '../parts/PictureField.tsx';
import { useApp, useTexts } from '../useApp.ts';

type Hook = RestAnswer<'GET /api/channels/:id/hooks'>[number];

/** The names of tools are the same in all languages. */
const tools = ['Slack', 'Discord', 'GitHub', 'GitLab', 'Grafana', 'Alertmanager', 'Parley'];

const formats = ({ t }: Texts) => [
  { value: 'auto', label: t('Detect automatically') },
  ...tools.map((label) => ({ value: label.toLowerCase(), label })),
];

const formatIn = (value: string): Hook['format'] =>
  (['parley', 'slack', 'discord', 'github', 'gitlab', 'grafana', 'alertmanager'] as const).find(
    (one) => one === value,
  ) ?? 'auto';

/** What someone is about to do with an incoming webhook. */
interface Task {
  what: 'edit' | 'renew' | 'delete';
  hook: Hook;
}

/** The incoming webhooks of a channel, for those who manage it. */
export function Hooks({ channel, onClose }: { channel: ChannelRecord; onClose(): void }) {
  const texts = useTexts();
  const { t } = texts;
  const { client } = useApp();
  const { id, name } = channel;
  const { value: list, load, after } = useLoaded(() => client.rest('GET /api/channels/:id/hooks', { id }), [id]);
  const [task, setTask] = useState<Task | null>(null);
  const [address, setAddress] = useState<string | null>(null);
  const create = async ({ text, raw }: Fields) => {
    const body = { name: text('name'), format: formatIn(raw('format')), signingSecret: text('secret') || null };
    const { url } = await client.rest('POST /api/channels/:id/hooks', { id, body });
    setAddress(url);
    await load();
  };
  const renew = async (hookId: string) => {
    const { url } = await client.rest('POST /api/channels/:id/hooks/:hookId/token', { id, hookId });
    setAddress(url);
  };
  const close = () => setTask(null);
  if (task?.what === 'edit') return <EditHook hook={task.hook} onClose={close} onSaved={load} />;
  return (
    <Dialog title={t('Incoming webhooks of #{name}', { name })} onClose={onClose}>
      <p class="faint">
        {t('Other tools post here through an address. It can replace one they have for Slack or Discord.')}
      </p>
      {list?.length === 0 && <p class="empty">{t('No incoming webhooks yet.')}</p>}
      <ul class="people">
        {list?.map((hook) => (
          <HookRow key={hook.id} hook={hook} onTask={setTask} />
        ))}
      </ul>
      <Secret title={t('The address')} secret={address} />
      <Form action={t('New webhook')} work={create} clear>
        <Field label={t('Name')} name="name" maxlength={64} hint={t('Shown with its messages.')} required />
        <Select label={t('Sent by')} name="format" options={formats(texts)} />
        <SecretField />
      </Form>
      {task?.what === 'renew' && (
        <Confirm
          title={t('Change the address of {name}?', { name: task.hook.name })}
          text={t('The current address stops working at once.')}
          action={t('New address')}
          onClose={close}
          onConfirm={() => after(() => renew(task.hook.id))}
        />
      )}
      {task?.what === 'delete' && (
        <Confirm
          title={t('Delete {name}?', { name: task.hook.name })}
          text={t('Its address stops working at once. What it posted stays.')}
          action={t('Delete')}
          onClose={close}
          onConfirm={() =>
            after(() => client.rest('DELETE /api/channels/:id/hooks/:hookId', { id, hookId: task.hook.id }))
          }
        />
      )}
    </Dialog>
  );
}

function HookRow({ hook, onTask }: { hook: Hook; onTask(task: Task): void }) {
  const texts = useTexts();
  const { t } = texts;
  const { name, avatarUrl, userId } = hook;
  const user = { id: userId, username: '', displayName: name, avatarUrl, isBot: true };
  const does = (what: Task['what']) => () => onTask({ what, hook });
  return (
    <Row name={name} about={aboutHook(texts, hook)} picture={<Avatar user={user} />}>
      <IconButton icon="edit" label={t('Edit {name}', { name })} onClick={does('edit')} />
      <IconButton icon="link" label={t('New address of {name}', { name })} onClick={does('renew')} />
      <IconButton icon="trash" label={t('Delete {name}', { name })} onClick={does('delete')} />
    </Row>
  );
}

function aboutHook(texts: Texts, { format, isSigned, createdByUser, lastUsedAt }: Hook): string {
  const { shortTime, t } = texts;
  const of = formats(texts).find(({ value }) => value === format);
  const used = lastUsedAt ? t('used {time}', { time: shortTime(lastUsedAt) }) : t('never used');
  const maker = createdByUser && t('created by {name}', { name: createdByUser.displayName });
  return [format === 'auto' ? null : of?.label, isSigned ? t('signed') : null, used, maker].filter(Boolean).join(' · ');
}

function SecretField() {
  const { t } = useTexts();
  const hint = t('Optional, at least 8 characters. Requests that are not signed with it are refused.');
  return <Field label={t('Secret of the sender')} name="secret" minlength={8} maxlength={200} hint={hint} />;
}

function EditHook({ hook, onClose, onSaved }: { hook: Hook; onClose(): void; onSaved(): Promise<void> }) {
  const texts = useTexts();
  const { t } = texts;
  const { client } = useApp();
  const [avatarUrl, setAvatarUrl] = useState(hook.avatarUrl);
  const target = { id: hook.channelId, hookId: hook.id };
  const update = (
    body: { avatarUrl: string | null } | { name: string; format: Hook['format']; signingSecret?: string | null },
  ) => client.rest('PATCH /api/channels/:id/hooks/:hookId', { ...target, body });
  const save = async ({ text, raw, isChecked }: Fields) => {
    const secret = text('secret');
    const signingSecret = secret || (hook.isSigned && isChecked('unsigned') ? null : undefined);
    const changed = { name: text('name'), format: formatIn(raw('format')) };
    await update(signingSecret === undefined ? changed : { ...changed, signingSecret });
    await onSaved();
    onClose();
  };
  const show = async (url: string | null) => {
    setAvatarUrl((await update({ avatarUrl: url })).avatarUrl);
    await onSaved();
  };
  return (
    <Dialog title={t('Edit {name}', { name: hook.name })} onClose={onClose}>
      <PictureField label={t('Picture')} shape="square" url={avatarUrl} onChange={show} />
      <Form action={t('Save')} work={save}>
        <Field label={t('Name')} name="name" maxlength={64} value={hook.name} required />
        <Select label={t('Sent by')} name="format" options={formats(texts)} value={hook.format} />
        <SecretField />
        {hook.isSigned && <Check label={t('Accept unsigned requests too')} name="unsigned" />}
      </Form>
    </Dialog>
  );
}
