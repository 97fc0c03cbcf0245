import { useState } from 'preact/hooks';
import { type DmChannel, type Group, othersIn, type SmallUser } from '../../state/groups.ts';
import { Confirm, Dialog } from '../parts/Dialog.tsx';
import { Field, Select } from '../parts/Field.tsx';
import { type Fields, Form } from '../parts/Form.tsx';
import { Row } from '../parts/Page.tsx';
import { PersonButton, PresentPicture } from '../parts/PersonButton.tsx';
import { useApp, useTexts } from '../useApp.ts';
import type { DmTask } from './dm-tasks.ts';
import { mostOthers } from './NewMessage.tsx';
import { PeoplePicker } from './PeoplePicker.tsx';
import { SaidEmoji } from './Said.tsx';

interface DialogsProps {
  dm: DmChannel;
  task: DmTask;
  onClose(): void;
}

export function DmDialogs({ dm, task, onClose }: DialogsProps) {
  const { t } = useTexts();
  const { people, attempt } = useApp();
  if (task === 'add') return <AddPeople dm={dm} onClose={onClose} />;
  if (dm.kind === 'dm') return null;
  if (task === 'people') return <GroupPeople group={dm} onClose={onClose} />;
  if (task === 'rename') return <RenameGroup group={dm} onClose={onClose} />;
  if (task === 'turn') return <TurnGroup group={dm} onClose={onClose} />;
  return (
    <Confirm
      title={t('Leave this group?')}
      text={t(
        'You can no longer read it. What you wrote stays there for the others, and nobody can add you to it again.',
      )}
      action={t('Leave')}
      onClose={onClose}
      onConfirm={() => void attempt(() => people.leaveGroup(dm.id))}
    />
  );
}

function AddPeople({ dm, onClose }: { dm: DmChannel; onClose(): void }) {
  const { t } = useTexts();
  const { people, me } = useApp();
  const [chosen, setChosen] = useState<SmallUser[]>([]);
  const there = othersIn(dm, me.value?.id).map(({ id }) => id);
  const add = async () => {
    if (chosen.length === 0) throw new Error(t('Choose someone first.'));
    await people.openWith(
      dm.id,
      chosen.map(({ id }) => id),
    );
    onClose();
  };
  return (
    <Dialog title={t('Add people')} onClose={onClose}>
      <p class="faint">{t('This opens a new group, so that nobody new can read what you wrote before.')}</p>
      <Form action={t('Open the group')} work={add}>
        <PeoplePicker chosen={chosen} without={there} most={mostOthers - there.length} onChange={setChosen} />
      </Form>
    </Dialog>
  );
}

function RenameGroup({ group, onClose }: { group: Group; onClose(): void }) {
  const { t } = useTexts();
  const { people } = useApp();
  const save = async ({ text }: Fields) => {
    await people.renameGroup(group.id, text('name') || null);
    onClose();
  };
  return (
    <Dialog title={t('Name the group')} onClose={onClose}>
      <Form action={t('Save')} work={save}>
        <Field
          label={t('Name')}
          name="name"
          maxlength={100}
          value={group.name}
          hint={t('Everyone in the group sees it. Without a name, the group is called after its members.')}
          autofocus
        />
      </Form>
    </Dialog>
  );
}

function GroupPeople({ group, onClose }: { group: Group; onClose(): void }) {
  const { t } = useTexts();
  return (
    <Dialog title={t('People · {count}', { count: group.members.length })} onClose={onClose}>
      <ul class="people">
        {group.members.map((user) => (
          <Row
            key={user.id}
            picture={<PresentPicture user={user} />}
            name={<PersonButton person={user}>{user.displayName}</PersonButton>}
            about={`@${user.username}`}
          >
            <SaidEmoji userId={user.id} />
          </Row>
        ))}
      </ul>
    </Dialog>
  );
}

function TurnGroup({ group, onClose }: { group: Group; onClose(): void }) {
  const { t } = useTexts();
  const { people, servers, rights } = useApp();
  const places = servers.list.value.filter((server) => rights.may(server, 'channel:create'));
  const turn = async ({ raw, text }: Fields) => {
    await people.turnGroup(group.id, { serverId: raw('server'), name: text('name') });
    onClose();
  };
  return (
    <Dialog title={t('Turn into a channel')} onClose={onClose}>
      {places.length === 0 ? (
        <p>{t('You cannot create channels in any of your servers.')}</p>
      ) : (
        <Form action={t('Turn into a channel')} work={turn}>
          <p class="note">
            {t(
              'It becomes a private channel with everything that was written. Those who run the server can see it then, and its rules apply. Everyone in the group has to be a member of the server; bots leave. This cannot be undone.',
            )}
          </p>
          <Select
            label={t('Server')}
            name="server"
            options={places.map(({ id, name }) => ({ value: id, label: name }))}
          />
          <Field label={t('Name')} name="name" maxlength={100} value={group.name} required />
        </Form>
      )}
    </Dialog>
  );
}
