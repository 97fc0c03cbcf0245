import { can } from '../../state/client.ts';
import { pathTo, type SettingsSection } from '../../state/router.ts';
import type { IconName } from '../parts/Icon.tsx';
import { Page } from '../parts/Page.tsx';
import { Account } from './Account.tsx';
import { AgentPage } from './AgentPage.tsx';
import { Agents } from './Agents.tsx';
import { Devices } from './Devices.tsx';
import { InviteCodes } from './InviteCodes.tsx';
import { NotificationSettings } from './NotificationSettings.tsx';
import { PersonalTokens } from './PersonalTokens.tsx';
import { Profile } from './Profile.tsx';

const sections: { section: SettingsSection; label: string; icon: IconName }[] = [
  { section: 'profile', label: 'Profile', icon: 'user' },
  { section: 'account', label: 'Signing in', icon: 'key' },
  { section: 'devices', label: 'Devices', icon: 'device' },
  { section: 'notifications', label: 'Notifications', icon: 'bell' },
  { section: 'agents', label: 'Agents', icon: 'agent' },
  { section: 'tokens', label: 'Access tokens', icon: 'shield' },
  { section: 'invites', label: 'Invite codes', icon: 'link' },
];

export function Settings({ section, id }: { section: SettingsSection; id: string | null }) {
  const open = sections.filter((one) => one.section !== 'invites' || can('invite:create'));
  const tabs = open.map((one) => ({
    href: pathTo.settings(one.section),
    label: one.label,
    icon: one.icon,
    current: one.section === section,
  }));
  return (
    <Page title="Settings" back="/app/messages" tabs={tabs}>
      <Content section={section} id={id} />
    </Page>
  );
}

function Content({ section, id }: { section: SettingsSection; id: string | null }) {
  switch (section) {
    case 'profile':
      return <Profile />;
    case 'account':
      return <Account />;
    case 'devices':
      return <Devices />;
    case 'notifications':
      return <NotificationSettings />;
    case 'agents':
      return id ? <AgentPage key={id} agentId={id} /> : <Agents />;
    case 'tokens':
      return <PersonalTokens />;
    case 'invites':
      return <InviteCodes />;
  }
}
