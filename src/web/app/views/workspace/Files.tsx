import { useEffect, useState } from 'preact/hooks';
import type { RestAnswer } from '../../../../client/index.ts';
import { sizeOf } from '../../state/attachments.ts';
import { parley } from '../../state/client.ts';
import { pathTo } from '../../state/router.ts';
import { attempt } from '../../state/toasts.ts';
import { useFields } from '../parts/fields.ts';
import { shortTime } from '../parts/time.ts';

type Node = RestAnswer<'GET /api/servers/:serverId/workspace/children'>[number];

interface FilesProps {
  serverId: string;
  /** Null: the top. */
  folderId: string | null;
}

/** The workspace of a server, one folder at a time. */
export function Files({ serverId, folderId }: FilesProps) {
  const { list, load } = useFolder(serverId, folderId);
  const create = useFields(async (field) => {
    const body = { name: field('name').trim(), parentId: folderId };
    await parley.rest('POST /api/servers/:serverId/workspace/folders', { serverId, body });
    await load();
  }, true);
  const upload = (files: Iterable<File>) =>
    attempt(async () => {
      for (const file of files) await send(serverId, folderId, file);
      await load();
    });
  return (
    <section class="page">
      <header class="bar">
        <a class="icon back" href={pathTo.server(serverId)} aria-label="Back">
          ‹
        </a>
        <h1 class="title">Files</h1>
        <span class="space" />
        {folderId && (
          <a class="button quiet" href={pathTo.files(serverId, null)}>
            To the top
          </a>
        )}
      </header>
      <div class="body">
        <form class="inline" onSubmit={create}>
          <input name="name" aria-label="Name of a new folder" placeholder="New folder" maxLength={255} required />
          <button type="submit" class="button quiet">
            Create
          </button>
          <label class="button">
            Upload
            <input
              type="file"
              class="hidden"
              multiple
              onChange={(event) => void upload([...(event.currentTarget.files ?? [])])}
            />
          </label>
        </form>
        {list?.length === 0 && <p class="empty">Nothing in here.</p>}
        <ul class="people">
          {list?.map((node) => (
            <Entry key={node.id} serverId={serverId} node={node} onChange={load} />
          ))}
        </ul>
      </div>
    </section>
  );
}

function useFolder(serverId: string, folderId: string | null) {
  const [list, setList] = useState<Node[] | null>(null);
  const load = async () => {
    const query = { parentId: folderId };
    const nodes = await parley.rest('GET /api/servers/:serverId/workspace/children', { serverId, query });
    setList(nodes.toSorted((a, b) => a.kind.localeCompare(b.kind) || a.name.localeCompare(b.name)));
  };
  useEffect(() => {
    void attempt(load);
    return parley.on('workspace:changed', (change) => {
      if (change.serverId === serverId) void attempt(load);
    });
  }, [serverId, folderId]);
  return { list, load };
}

function send(serverId: string, folderId: string | null, file: File): Promise<Node> {
  const form = new FormData();
  if (folderId) form.set('parentId', folderId);
  form.set('file', file, file.name);
  return parley.rest('POST /api/servers/:serverId/workspace/upload', { serverId, form });
}

interface EntryProps {
  serverId: string;
  node: Node;
  onChange(): Promise<void>;
}

function Entry({ serverId, node, onChange }: EntryProps) {
  const isFolder = node.kind === 'dir';
  const fetchFile = () =>
    attempt(async () => {
      const params = { serverId, fileId: node.id };
      const { url } = await parley.rest('GET /api/servers/:serverId/workspace/files/:fileId/media-url', params);
      location.assign(url);
    });
  const remove = () =>
    attempt(async () => {
      if (isFolder) {
        await parley.rest('DELETE /api/servers/:serverId/workspace/folders/:folderId', { serverId, folderId: node.id });
      } else await parley.rest('DELETE /api/servers/:serverId/workspace/files/:fileId', { serverId, fileId: node.id });
      await onChange();
    });
  const about = `${isFolder ? 'Folder' : sizeOf(node.sizeBytes)} · ${shortTime(node.updatedAt)}`;
  return (
    <li>
      <span class="who">
        {isFolder ? (
          <a class="name" href={pathTo.files(serverId, node.id)}>
            📁 {node.name}
          </a>
        ) : (
          <span class="name">📄 {node.name}</span>
        )}
        <span class="faint">{about}</span>
      </span>
      {!isFolder && (
        <button type="button" class="button quiet" onClick={() => void fetchFile()}>
          Download
        </button>
      )}
      <button type="button" class="button danger" onClick={() => void remove()}>
        Delete
      </button>
    </li>
  );
}
