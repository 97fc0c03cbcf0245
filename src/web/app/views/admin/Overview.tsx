import { pathTo } from '../../state/router.ts';
import { formatSize } from '../../state/sizes.ts';
import { useLoaded } from '../parts/loading.ts';
import { Block } from '../parts/Page.tsx';
import { useApp, useTexts } from '../useApp.ts';
import { Facts } from './Facts.tsx';
import { roughly } from './rough.ts';

/** The installation in a few numbers, and where to look when one of them is wrong. */
export function Overview() {
  const texts = useTexts();
  const { number, t } = texts;
  const { client } = useApp();
  const { value } = useLoaded(() => client.rest('GET /api/operator/overview'), []);
  if (!value) return null;
  const { version, people, servers, messages, nodes, databaseBytes, openReports, deadJobs } = value;
  return (
    <Block title={t('Overview')} about={t('Large numbers are estimates.')}>
      <Facts
        tiles
        facts={[
          [t('Version'), version],
          [t('Open reports'), <a href={pathTo.admin('reports')}>{roughly(texts, openReports)}</a>],
          [t('Dead jobs'), <a href={pathTo.admin('jobs')}>{roughly(texts, deadJobs)}</a>],
          [t('Nodes'), <a href={pathTo.admin('nodes')}>{number(nodes)}</a>],
          [t('People and bots'), <a href={pathTo.admin('people')}>{roughly(texts, people)}</a>],
          [t('Servers'), <a href={pathTo.admin('servers')}>{roughly(texts, servers)}</a>],
          [t('Messages'), roughly(texts, messages)],
          [t('Database'), <a href={pathTo.admin('storage')}>{formatSize(databaseBytes)}</a>],
        ]}
      />
    </Block>
  );
}
