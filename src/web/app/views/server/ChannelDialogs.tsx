import type { ChannelRecord } from '../../../../client/index.ts';
import type { Message } from '../../../../languages/catalogue.ts';
import { pathTo } from '../../state/router.ts';
import type { Texts } from '../../state/texts.ts';
import { Confirm, Dialog } from '../parts/Dialog.tsx';
import { Check, Field, Select, TextArea } from '../parts/Field.tsx';
import { type Fields, Form } from '../parts/Form.tsx';
import { useApp, useTexts } from '../useApp.ts';
import { categoryOptions } from './CategoryDialogs.tsx';
import { ChannelOverrides } from './ChannelOverrides.tsx';
import { Hooks } from './Hooks.tsx';
import { ChannelKeeping } from './Keeping.tsx';
import { ChannelMembers } from './MemberList.tsx';

/** What an admin is about to do with a channel. */
export interface ChannelTask {
  what: 'edit' | 'keep' | 'members' | 'permissions' | 'hooks' | 'archive' | 'delete';
  channel: ChannelRecord;
}

export function ChannelDialogs({ task, onClose }: { task: ChannelTask; onClose(): void }) {
  const { t } = useTexts();
  const { attempt, servers, client } = useApp();
  const { what, channel } = task;
  const { id, serverId, name } = channel;
  const run = (work: () => Promise<unknown>) =>
    void attempt(async () => {
      await work();
      if (serverId) await servers.loadChannels(serverId);
    });
  if (what === 'edit') return <EditChannel channel={channel} onClose={onClose} />;
  if (what === 'keep') return <ChannelKeeping channel={channel} onClose={onClose} />;
  if (what === 'hooks') return <Hooks channel={channel} onClose={onClose} />;
  if (what === 'members') return <ChannelMembers channel={channel} onClose={onClose} />;
  const server = servers.list.value.find((one) => one.id === serverId);
  if (what === 'permissions')
    return server ? <ChannelOverrides channel={channel} server={server} onClose={onClose} /> : null;
  if (what === 'archive') {
    return (
      <Confirm
        title={t('Archive #{name}?', { name })}
        text={t('It is removed from the lists. Its messages are kept, and you can bring it back.')}
        action={t('Archive')}
        onClose={onClose}
        onConfirm={() => run(() => client.rest('POST /api/channels/:id/archive', { id }))}
      />
    );
  }
  return (
    <Confirm
      title={t('Delete #{name}?', { name })}
      text={t('All its messages are deleted for everyone and cannot be restored.')}
      action={t('Delete')}
      onClose={onClose}
      onConfirm={() => run(() => client.rest('DELETE /api/channels/:id', { id }))}
    />
  );
}

function EditChannel({ channel, onClose }: { channel: ChannelRecord; onClose(): void }) {
  const texts = useTexts();
  const { t } = texts;
  const { client, servers } = useApp();
  const save = async ({ text }: Fields) => {
    const slowModeSeconds = Number(text('slowMode'));
    const body = { name: text('name'), topic: text('topic') || null, slowModeSeconds };
    await client.rest('PATCH /api/channels/:id', { id: channel.id, body });
    if (channel.serverId) await servers.loadChannels(channel.serverId);
    onClose();
  };
  return (
    <Dialog title={t('Edit #{name}', { name: channel.name })} onClose={onClose}>
      <Form action={t('Save')} work={save}>
        <Field label={t('Name')} name="name" maxlength={100} value={channel.name} required autofocus />
        <TextArea label={t('Topic')} name="topic" maxlength={1024} value={channel.topic ?? ''} />
        <Select
          label={t('Slow mode')}
          name="slowMode"
          options={pausesWith(texts, channel.slowModeSeconds)}
          value={String(channel.slowModeSeconds)}
          hint={t('How long people wait between two messages. Roles that bypass slow mode are exempt.')}
        />
      </Form>
    </Dialog>
  );
}

/** In seconds. */
const pauses = [0, 5, 10, 30, 60, 300, 900, 3600, 21_600];

/** The choice of pauses, with the present one, which may be any. */
function pausesWith({ t, lasting }: Texts, present: number) {
  const all = pauses.includes(present) ? pauses : [...pauses, present];
  return all.map((seconds) => ({ value: String(seconds), label: seconds === 0 ? t('Off') : lasting(seconds) }));
}

const types: { value: string; label: Message }[] = [
  { value: 'text', label: 'Text: everyone can write' },
  { value: 'announcement', label: 'Announcements: only some roles can write' },
];

interface CreateChannelProps {
  serverId: string;
  /** The category that is chosen at first. */
  categoryId?: string | null;
  onClose(): void;
}

export function CreateChannel({ serverId, categoryId = null, onClose }: CreateChannelProps) {
  const texts = useTexts();
  const { labelled, t } = texts;
  const { servers, categories, navigate } = useApp();
  const list = categories.of(serverId);
  const create = async ({ text, raw, isChecked }: Fields) => {
    const channel = await servers.createChannel(serverId, {
      name: text('name'),
      topic: text('topic') || null,
      type: raw('type') === 'announcement' ? 'announcement' : 'text',
      isPrivate: isChecked('isPrivate'),
      categoryId: list.length > 0 ? raw('category') || null : null,
    });
    onClose();
    navigate(pathTo.channel(serverId, channel.id));
  };
  return (
    <Dialog title={t('Create a channel')} onClose={onClose}>
      <Form action={t('Create')} work={create}>
        <Field label={t('Name')} name="name" maxlength={100} required autofocus />
        <Field label={t('Topic')} name="topic" maxlength={1024} hint={t('Optional.')} />
        <Select label={t('Kind')} name="type" options={labelled(types)} />
        {list.length > 0 && (
          <Select
            label={t('Category')}
            name="category"
            options={categoryOptions(texts, list)}
            value={categoryId ?? ''}
          />
        )}
        <Check label={t('Private: only those who are added see it')} name="isPrivate" />
      </Form>
    </Dialog>
  );
}
