import type { RestAnswer } from '../../../../client/index.ts';
import { parley } from '../../state/client.ts';
import { pathTo } from '../../state/router.ts';
import { useLoaded } from '../parts/loading.ts';

type TreeNode = RestAnswer<'GET /api/servers/:serverId/workspace/tree'>[number];

/** The way from the top to a folder. */
export function Breadcrumbs({ serverId, folderId }: { serverId: string; folderId: string | null }) {
  const { value: way } = useLoaded(() => wayTo(serverId, folderId), [serverId, folderId]);
  return (
    <nav class="crumbs" aria-label="Folders above">
      <a href={pathTo.files(serverId, null)} aria-current={folderId ? undefined : 'page'}>
        Workspace
      </a>
      {way?.map(({ id, name }) => (
        <span key={id}>
          {' › '}
          <a href={pathTo.files(serverId, id)} aria-current={id === folderId ? 'page' : undefined}>
            {name}
          </a>
        </span>
      ))}
    </nav>
  );
}

async function wayTo(serverId: string, folderId: string | null): Promise<TreeNode[]> {
  if (!folderId) return [];
  return find(await parley.rest('GET /api/servers/:serverId/workspace/tree', { serverId }), folderId) ?? [];
}

function find(nodes: TreeNode[], id: string): TreeNode[] | null {
  for (const node of nodes) {
    if (node.id === id) return [node];
    const below = find(node.children ?? [], id);
    if (below) return [node, ...below];
  }
  return null;
}
