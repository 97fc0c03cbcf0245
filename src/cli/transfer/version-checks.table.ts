import { mostFileVersions } from '../../settings/numbers.ts';

const ofServer = `workspace_versions v JOIN workspaces w ON w.id = v.workspace_id JOIN workspace_nodes n ON n.id = v.node_id
  WHERE w.server_id = $1`;

/** Versions that a file must not have, as queries that find them. `$1` is the server. */
export const wrongVersions: [query: string, sentence: string][] = [
  [
    `SELECT v.id FROM ${ofServer} AND (n.kind <> 'file' OR n.workspace_id <> v.workspace_id OR v.version >= n.version)`,
    'workspace-versions.jsonl: a version is of no file of its workspace, or not older than that.',
  ],
  [
    `SELECT v.id FROM ${ofServer} AND v.size_bytes <> (SELECT size FROM blobs b WHERE b.id = v.blob_id)`,
    'workspace-versions.jsonl: a version has another size than its bytes.',
  ],
  [
    `SELECT v.node_id FROM ${ofServer} GROUP BY v.node_id HAVING count(*) > ${mostFileVersions}`,
    `workspace-versions.jsonl: a file has more than ${mostFileVersions} versions.`,
  ],
];
