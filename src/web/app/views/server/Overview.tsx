import { useState } from 'preact/hooks';
import type { ServerRecord } from '../../../../client/index.ts';
import { outsideOf, typedPicture } from '../../state/pictures.ts';
import { initialsOf } from '../parts/Avatar.tsx';
import { Button } from '../parts/Button.tsx';
import { Dialog } from '../parts/Dialog.tsx';
import { Check, Field, TextArea } from '../parts/Field.tsx';
import { type Fields, Form, isTyped } from '../parts/Form.tsx';
import { useLoaded } from '../parts/loading.ts';
import { Block } from '../parts/Page.tsx';
import { PictureField } from '../parts/PictureField.tsx';
import { StorageUse } from '../parts/StorageUse.tsx';
import { HandOver } from '../settings/HandOver.tsx';
import { useApp, useTexts } from '../useApp.ts';
import { Looks } from './Looks.tsx';

/** Name, description and looks of a server. */
export function Overview({ server }: { server: ServerRecord }) {
  const { t } = useTexts();
  const { servers, rights, showToast } = useApp();
  const save = async ({ text, raw, isChecked }: Fields) => {
    await servers.update(server.id, {
      name: text('name'),
      slug: text('slug') || null,
      description: text('description') || null,
      iconUrl: typedPicture(text('iconUrl'), server.iconUrl),
      isPublic: isChecked('isPublic'),
      requireSecondFactor: isChecked('requireSecondFactor'),
      linkPreviews: isChecked('linkPreviews'),
      homepageHtml: raw('homepageHtml') || null,
    });
    showToast(t('The server is saved.'));
  };
  return (
    <>
      <Form class="block" action={t('Save')} work={save}>
        <h2>{t('About the server')}</h2>
        <Field label={t('Name')} name="name" maxlength={100} value={server.name} required />
        <Field
          label={t('Short name')}
          name="slug"
          maxlength={100}
          value={server.slug ?? ''}
          hint={t('Used in addresses: lowercase letters, digits and hyphens.')}
        />
        <TextArea label={t('Description')} name="description" maxlength={1024} value={server.description ?? ''} />
        <PictureField
          label={t('Picture')}
          shape="square"
          url={server.iconUrl}
          onChange={(iconUrl) => servers.update(server.id, { iconUrl })}
        >
          {initialsOf(server.name)}
        </PictureField>
        <Field
          key={outsideOf(server.iconUrl)}
          label={t('Picture at another address')}
          name="iconUrl"
          type="url"
          value={outsideOf(server.iconUrl)}
        />
        <PictureField
          label={t('Banner')}
          shape="banner"
          url={server.bannerUrl}
          onChange={(bannerUrl) => servers.update(server.id, { bannerUrl })}
        />
        <Check label={t('Anyone can find and join it')} name="isPublic" checked={server.isPublic} />
        <Check
          label={t('Only people with a second factor may use their role here')}
          name="requireSecondFactor"
          checked={server.requireSecondFactor}
        />
        <Check
          label={t('Messages show previews of the pages that they link to')}
          name="linkPreviews"
          checked={server.linkPreviews}
        />
        <TextArea
          label={t('Home page (HTML)')}
          name="homepageHtml"
          code
          rows={6}
          value={server.homepageHtml ?? ''}
          hint={t('Shown by clients in a frame of its own, without the powers of this page.')}
        />
      </Form>
      {rights.may(server, 'server:update') && <Looks server={server} />}
      {rights.may(server, 'server:update') && <ServerStorage server={server} />}
      {rights.may(server, 'server:hand-over') && <HandOverServer server={server} />}
      {rights.may(server, 'server:delete') && <Ending server={server} />}
    </>
  );
}

function ServerStorage({ server: { id } }: { server: ServerRecord }) {
  const { t } = useTexts();
  const { client } = useApp();
  const read = () => client.rest('GET /api/servers/:id/storage', { id });
  return <StorageUse about={t('What all members have stored in this server.')} read={read} on={[id]} />;
}

/** To another person who is a member. */
function HandOverServer({ server }: { server: ServerRecord }) {
  const { t } = useTexts();
  const { servers, me } = useApp();
  const { value: members } = useLoaded(() => servers.membersOf(server.id), [server.id]);
  if (!members) return null;
  const people = members.filter(({ userId, user }) => !user.isBot && userId !== me.value?.id);
  return (
    <HandOver
      title={t('Hand the server over')}
      about={t('There is one owner. When they accept, you become an admin, and only they can hand it back.')}
      what={{ serverId: server.id }}
      people={people.map(({ userId, user }) => ({ value: userId, label: `${user.displayName} (@${user.username})` }))}
      nobody={t('Nobody else is a member.')}
    />
  );
}

function Ending({ server }: { server: ServerRecord }) {
  const { t } = useTexts();
  const [asking, setAsking] = useState(false);
  return (
    <Block
      title={t('Delete the server')}
      about={t('Its channels, messages and files are deleted too, for everyone and for good.')}
    >
      <Button label={t('Delete the server')} kind="danger" onClick={() => setAsking(true)} />
      {asking && <ConfirmDeletion server={server} onClose={() => setAsking(false)} />}
    </Block>
  );
}

/** The name is typed to confirm, since this cannot be undone. */
function ConfirmDeletion({ server, onClose }: { server: ServerRecord; onClose(): void }) {
  const { t } = useTexts();
  const { servers, navigate, showToast } = useApp();
  const end = async ({ text }: Fields) => {
    if (!isTyped(text('name'), server.name)) throw new Error(t('That is not the name of the server.'));
    await servers.delete(server.id);
    onClose();
    navigate('/app/friends');
    showToast(t('{name} was deleted.', { name: server.name }));
  };
  return (
    <Dialog title={t('Delete {name}?', { name: server.name })} onClose={onClose}>
      <Form action={t('Delete for good')} class="grave" work={end}>
        <Field label={t('Type “{name}” to confirm', { name: server.name })} name="name" required autofocus />
      </Form>
    </Dialog>
  );
}
