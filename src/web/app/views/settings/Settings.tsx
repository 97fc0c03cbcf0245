import type { Message } from '../../../../languages/catalogue.ts';
import { outsideOf, typedPicture } from '../../state/pictures.ts';
import { pathTo, type SettingsSection } from '../../state/router.ts';
import { Field } from '../parts/Field.tsx';
import { type Fields, Form } from '../parts/Form.tsx';
import type { IconName } from '../parts/Icon.tsx';
import { Block, Page } from '../parts/Page.tsx';
import { PictureField } from '../parts/PictureField.tsx';
import { StorageUse } from '../parts/StorageUse.tsx';
import { useApp, useTexts } from '../useApp.ts';
import { Account, Devices } from './Account.tsx';
import { AgentPage, Agents } from './Agents.tsx';
import { AllowedApps, OwnApps } from './AllowedApps.tsx';
import { Appearance } from './Appearance.tsx';
import { Language } from './Language.tsx';
import { NotificationSettings } from './NotificationSettings.tsx';
import { ReceiptSettings } from './ReceiptSettings.tsx';
import { InviteCodes, PersonalTokens } from './Tokens.tsx';
import { Username } from './Username.tsx';

const sections: { section: SettingsSection; label: Message; icon: IconName }[] = [
  { section: 'profile', label: 'Profile', icon: 'user' },
  { section: 'appearance', label: 'Appearance', icon: 'palette' },
  { section: 'account', label: 'Signing in', icon: 'key' },
  { section: 'devices', label: 'Devices', icon: 'device' },
  { section: 'notifications', label: 'Notifications', icon: 'bell' },
  { section: 'agents', label: 'Bots', icon: 'agent' },
  { section: 'tokens', label: 'Access tokens', icon: 'shield' },
  { section: 'invites', label: 'Invite codes', icon: 'link' },
];

export function Settings({ section, id }: { section: SettingsSection; id: string | null }) {
  const { t } = useTexts();
  const { can } = useApp();
  const open = sections.filter((one) => one.section !== 'invites' || can('invite:create'));
  const tabs = open.map((one) => ({
    href: pathTo.settings(one.section),
    label: t(one.label),
    icon: one.icon,
    current: one.section === section,
  }));
  return (
    <Page title={t('Settings')} back="/app/messages" tabs={tabs}>
      <Content section={section} id={id} />
    </Page>
  );
}

function Content({ section, id }: { section: SettingsSection; id: string | null }) {
  switch (section) {
    case 'profile':
      return <Profile />;
    case 'appearance':
      return <Appearance />;
    case 'account':
      return <Account />;
    case 'devices':
      return <Devices />;
    case 'notifications':
      return <NotificationSettings />;
    case 'agents':
      return id ? <AgentPage key={id} agentId={id} /> : <Agents />;
    case 'tokens':
      return (
        <>
          <PersonalTokens />
          <AllowedApps />
          <OwnApps />
        </>
      );
    case 'invites':
      return <InviteCodes />;
  }
}

export function Profile() {
  const { t } = useTexts();
  const { setMe, client, showToast, me } = useApp();
  const save = async ({ text }: Fields) => {
    const avatarUrl = typedPicture(text('avatarUrl'), me.value?.avatarUrl);
    const body = { displayName: text('displayName'), avatarUrl };
    setMe(await client.rest('PATCH /api/auth/me', { body }));
    showToast(t('Your profile is saved.'));
  };
  const setPicture = async (avatarUrl: string | null) =>
    setMe(await client.rest('PATCH /api/auth/me', { body: { avatarUrl } }));
  const user = me.value;
  return (
    <>
      <Form class="block" action={t('Save')} work={save}>
        <h2>{t('Profile')}</h2>
        <p class="faint">{t('You are @{username}, {email}.', { username: user?.username, email: user?.email })}</p>
        <Field
          key={user?.displayName}
          label={t('Display name')}
          name="displayName"
          autocomplete="nickname"
          maxlength={64}
          value={user?.displayName}
          required
        />
        <PictureField label={t('Picture')} shape="square" url={user?.avatarUrl ?? null} onChange={setPicture}>
          {[...(user?.displayName ?? '')][0]?.toUpperCase()}
        </PictureField>
        <Field
          key={outsideOf(user?.avatarUrl)}
          label={t('Picture at another address')}
          name="avatarUrl"
          type="url"
          value={outsideOf(user?.avatarUrl)}
        />
      </Form>
      <Username />
      <Language />
      <ReceiptSettings />
      <OwnStorage />
      <Membership />
    </>
  );
}

function OwnStorage() {
  const { t } = useTexts();
  const { client } = useApp();
  const read = () => client.rest('GET /api/auth/me/storage');
  return <StorageUse about={t('What you and your bots have uploaded and made, everywhere.')} read={read} on={[]} />;
}

function Membership() {
  const { t } = useTexts();
  const { me, client, setMe, showToast } = useApp();
  const membership = me.value?.membership;
  const redeem = async ({ text }: Fields) => {
    const answer = await client.rest('POST /api/membership/redeem-invite', { body: { code: text('code') } });
    if (me.value) setMe({ ...me.value, membership: answer, status: answer.status });
    showToast(t('Welcome! You can do more now.'));
  };
  if (!membership) return null;
  const title = t('Membership: {label}', { label: membership.tier.label });
  if (membership.isMember)
    return (
      <Block title={title} about={t('You may create servers and invite others.')}>
        {null}
      </Block>
    );
  return (
    <Form class="block" action={t('Redeem')} work={redeem} clear>
      <h2>{title}</h2>
      <p class="faint">{t('Redeem an invite code to create servers and to invite others.')}</p>
      <Field label={t('Invite code')} name="code" maxlength={64} required />
    </Form>
  );
}
