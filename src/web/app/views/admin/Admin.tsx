import type { ComponentType } from 'preact';
import type { Message } from '../../../../languages/catalogue.ts';
import { type AdminSection, pathTo } from '../../state/router.ts';
import type { IconName } from '../parts/Icon.tsx';
import { Page } from '../parts/Page.tsx';
import { useApp, useTexts } from '../useApp.ts';
import { Bans } from './Bans.tsx';
import { Cases } from './Cases.tsx';
import { Jobs } from './Jobs.tsx';
import { Log } from './Log.tsx';
import { Nodes } from './Nodes.tsx';
import { Overview } from './Overview.tsx';
import { People } from './People.tsx';
import { Servers } from './Servers.tsx';
import { SettingsInForce } from './SettingsInForce.tsx';
import { Storage } from './Storage.tsx';
import { Trials } from './Trials.tsx';

interface Part {
  section: AdminSection;
  label: Message;
  icon: IconName;
  Shown: ComponentType;
  /** It is read: there may be nothing that takes the focus. */
  isRead?: true;
}

/** The parts of the operators' page, in their order. */
const sections: Part[] = [
  { section: 'overview', label: 'Overview', icon: 'home', Shown: Overview },
  { section: 'reports', label: 'Reports', icon: 'shield', Shown: Cases },
  { section: 'people', label: 'People', icon: 'friends', Shown: People },
  { section: 'bans', label: 'Bans', icon: 'block', Shown: Bans },
  { section: 'servers', label: 'Servers', icon: 'compass', Shown: Servers },
  { section: 'nodes', label: 'Nodes', icon: 'poll', Shown: Nodes, isRead: true },
  { section: 'storage', label: 'Storage', icon: 'archive', Shown: Storage, isRead: true },
  { section: 'jobs', label: 'Jobs', icon: 'clock', Shown: Jobs, isRead: true },
  { section: 'trials', label: 'Mail and push notifications', icon: 'unread', Shown: Trials },
  { section: 'settings', label: 'Settings', icon: 'settings', Shown: SettingsInForce },
  { section: 'log', label: 'Log', icon: 'file', Shown: Log, isRead: true },
];

/** What operators see and do from within the installation. */
export function Admin({ section }: { section: AdminSection }) {
  const { t } = useTexts();
  const app = useApp();
  const tabs = sections.map(({ section: name, icon, label }) => ({
    icon,
    label: t(label),
    href: pathTo.admin(name),
    current: name === section,
  }));
  if (!app.can('instance:admin')) {
    return (
      <Page title={t('Operators')} back="/app/messages">
        <p class="empty">{t('This page is for the operators of this installation.')}</p>
      </Page>
    );
  }
  const part = sections.find((one) => one.section === section);
  return (
    <Page title={t('Operators')} back="/app/messages" tabs={tabs} isRead={part?.isRead}>
      {part && <part.Shown key={section} />}
    </Page>
  );
}
