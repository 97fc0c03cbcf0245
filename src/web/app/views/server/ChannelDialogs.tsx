import type { ChannelRecord } from '../../../../client/index.ts';
import { pathTo } from '../../state/router.ts';
import { Confirm, Dialog } from '../parts/Dialog.tsx';
import { Check, Field, Select, TextArea } from '../parts/Field.tsx';
import { type Fields, Form } from '../parts/Form.tsx';
import { useApp } from '../useApp.ts';
import { ChannelOverrides } from './ChannelOverrides.tsx';
import { ChannelKeeping } from './Keeping.tsx';
import { ChannelMembers } from './MemberList.tsx';

/** What an admin is about to do with a channel. */
export interface ChannelTask {
  what: 'edit' | 'keep' | 'members' | 'permissions' | 'archive' | 'delete';
  channel: ChannelRecord;
}

export function ChannelDialogs({ task, onClose }: { task: ChannelTask; onClose(): void }) {
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
  if (what === 'members') return <ChannelMembers channel={channel} onClose={onClose} />;
  const server = servers.list.value.find((one) => one.id === serverId);
  if (what === 'permissions')
    return server ? <ChannelOverrides channel={channel} server={server} onClose={onClose} /> : null;
  if (what === 'archive') {
    return (
      <Confirm
        title={`Archive #${name}?`}
        text="It is removed from the lists. Its messages are kept, and you can bring it back."
        action="Archive"
        onClose={onClose}
        onConfirm={() => run(() => client.rest('POST /api/channels/:id/archive', { id }))}
      />
    );
  }
  return (
    <Confirm
      title={`Delete #${name}?`}
      text="All its messages are deleted for everyone and cannot be restored."
      action="Delete"
      onClose={onClose}
      onConfirm={() => run(() => client.rest('DELETE /api/channels/:id', { id }))}
    />
  );
}

function EditChannel({ channel, onClose }: { channel: ChannelRecord; onClose(): void }) {
  const { client, servers } = useApp();
  const save = async ({ text }: Fields) => {
    const slowModeSeconds = Number(text('slowMode'));
    const body = { name: text('name'), topic: text('topic') || null, slowModeSeconds };
    await client.rest('PATCH /api/channels/:id', { id: channel.id, body });
    if (channel.serverId) await servers.loadChannels(channel.serverId);
    onClose();
  };
  return (
    <Dialog title={`Edit #${channel.name}`} onClose={onClose}>
      <Form action="Save" work={save}>
        <Field label="Name" name="name" maxlength={100} value={channel.name} required autofocus />
        <TextArea label="What it is about" name="topic" maxlength={1024} value={channel.topic ?? ''} />
        <Select
          label="Slow mode"
          name="slowMode"
          options={pausesWith(channel.slowModeSeconds)}
          value={String(channel.slowModeSeconds)}
          hint="How long people wait between two messages. Those whose role may skip it need not."
        />
      </Form>
    </Dialog>
  );
}

const pauses = [
  { seconds: 0, label: 'Off' },
  { seconds: 5, label: '5 seconds' },
  { seconds: 10, label: '10 seconds' },
  { seconds: 30, label: '30 seconds' },
  { seconds: 60, label: 'A minute' },
  { seconds: 300, label: '5 minutes' },
  { seconds: 900, label: '15 minutes' },
  { seconds: 3600, label: 'An hour' },
  { seconds: 21_600, label: '6 hours' },
];

/** The choice of pauses, with the present one, which may be any. */
function pausesWith(present: number) {
  const others = pauses.some(({ seconds }) => seconds === present)
    ? []
    : [{ seconds: present, label: `${present} seconds` }];
  return [...pauses, ...others].map(({ seconds, label }) => ({ value: String(seconds), label }));
}

const types = [
  { value: 'text', label: 'Text: everyone writes' },
  { value: 'announcement', label: 'Announcements: only those write whose role may' },
];

export function CreateChannel({ serverId, onClose }: { serverId: string; onClose(): void }) {
  const { servers, navigate } = useApp();
  const create = async ({ text, raw, isChecked }: Fields) => {
    const channel = await servers.createChannel(serverId, {
      name: text('name'),
      topic: text('topic') || null,
      type: raw('type') === 'announcement' ? 'announcement' : 'text',
      isPrivate: isChecked('isPrivate'),
    });
    onClose();
    navigate(pathTo.channel(serverId, channel.id));
  };
  return (
    <Dialog title="Create a channel" onClose={onClose}>
      <Form action="Create" work={create}>
        <Field label="Name" name="name" maxlength={100} required autofocus />
        <Field label="What it is about" name="topic" maxlength={1024} hint="Optional." />
        <Select label="Kind" name="type" options={types} />
        <Check label="Private: only those who are added see it" name="isPrivate" />
      </Form>
    </Dialog>
  );
}
