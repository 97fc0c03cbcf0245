import { parley } from '../../state/client.ts';
import { go, pathTo } from '../../state/router.ts';
import type { FileNode } from '../../state/workspace.ts';
import { Dialog } from '../parts/Dialog.tsx';
import { Check, Field } from '../parts/Field.tsx';
import { type Fields, Form } from '../parts/Form.tsx';

interface PublishProps {
  serverId: string;
  /** A folder, or a ZIP or HTML file. */
  node: FileNode;
  onClose(): void;
}

/** Makes an app of something in the workspace, or a new version of one that is there. */
export function PublishNode({ serverId, node, onClose }: PublishProps) {
  const publish = async ({ text, isChecked }: Fields) => {
    const source = node.kind === 'dir' ? { folderId: node.id } : { fileId: node.id };
    const body = {
      ...source,
      name: text('name'),
      slug: text('slug') || null,
      isHomepage: isChecked('isHomepage') || undefined,
    };
    const app = await parley.rest('POST /api/servers/:serverId/apps/publish', { serverId, body });
    onClose();
    go(pathTo.app(serverId, app.slug));
  };
  return (
    <Dialog title={`Publish ${node.name}`} onClose={onClose}>
      <Form action="Publish" work={publish}>
        <Field label="Name" name="name" maxlength={200} value={node.name.replace(/\.[^.]+$/, '')} required autofocus />
        <Field
          label="Short name"
          name="slug"
          maxlength={100}
          hint="That of an app that is there makes this its next version. May be left out."
        />
        <Check label="It is the home page of the server" name="isHomepage" />
      </Form>
    </Dialog>
  );
}
