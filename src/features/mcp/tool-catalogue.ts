import { z } from 'zod';
import type { Param } from '../../contract/call.ts';
import { type AppError, asAppError } from '../../contract/errors.ts';
import { type McpTool, mcpTools } from '../../contract/mcp-tools.ts';
import { type JsonSchema, jsonSchemaOf } from '../../contract/schema/json-schemas.ts';
import { type Granted, hasScopes, scopesOfCall } from '../../contract/scopes.ts';
import type { McpCaller } from './caller.ts';

const objectSchema = z.object({
  properties: z.record(z.string(), z.custom<JsonSchema>()).default({}),
  required: z.array(z.string()).default([]),
  $defs: z.record(z.string(), z.custom<JsonSchema>()).default({}),
});

/** A tool as clients see it. */
export interface ShownTool {
  name: string;
  title: string;
  description: string;
  inputSchema: {
    type: 'object';
    properties: Record<string, object>;
    required?: string[];
    $defs?: Record<string, object>;
  };
  annotations: { title: string; readOnlyHint: boolean; destructiveHint: boolean; openWorldHint: boolean };
}

/** The result of a tool. */
export interface ToolResult {
  [field: string]: unknown;
  content: { type: 'text'; text: string }[];
  structuredContent: Record<string, unknown>;
  isError?: boolean;
}

const tools: [string, McpTool][] = Object.entries(mcpTools);

/** The tools that a token's scopes allow; they are made once, and never change. */
const shown = new Map<string, ShownTool>();

export function toolsFor(granted: Granted): ShownTool[] {
  return tools
    .filter(([, { call }]) => hasScopes(granted, scopesOfCall(call)))
    .map(([name, tool]) => shownTool(name, tool));
}

function shownTool(name: string, tool: McpTool): ShownTool {
  const known = shown.get(name) ?? describeTool(name, tool);
  shown.set(name, known);
  return known;
}

function describeTool(name: string, tool: McpTool): ShownTool {
  const { call, title, description = call.summary, destructive = false } = tool;
  return {
    name,
    title,
    description,
    inputSchema: inputSchemaOf(tool),
    annotations: {
      title,
      readOnlyHint: call.method === 'GET',
      destructiveHint: destructive,
      // It reaches nothing but this server.
      openWorldHint: false,
    },
  };
}

/** One object with the parameters of the path, and the fields of the query and the body. */
function inputSchemaOf({ call, names }: McpTool): ShownTool['inputSchema'] {
  const params = Object.entries(call.params ?? {}).map(([param, spec]) => ({ name: names?.[param] ?? param, spec }));
  const parts = [call.query, call.body].flatMap((part) => (part ? [objectSchema.parse(jsonSchemaOf(part))] : []));
  const properties: Record<string, object> = Object.fromEntries([
    ...params.map(({ name, spec }): [string, object] => [name, paramSchema(spec)]),
    ...parts.flatMap((part) => Object.entries(part.properties)),
  ]);
  const required = [...params.map(({ name }) => name), ...parts.flatMap((part) => part.required)];
  const $defs: Record<string, object> = Object.fromEntries(parts.flatMap((part) => Object.entries(part.$defs)));
  return {
    type: 'object',
    properties,
    ...(required.length > 0 ? { required } : {}),
    ...(Object.keys($defs).length > 0 ? { $defs } : {}),
  };
}

function paramSchema({ form, description }: Param): object {
  return { type: 'string', ...(form === 'uuid' ? { format: 'uuid' } : {}), description };
}

/**
 * Calls a tool.
 * @param failed told of errors that nobody foresaw
 * @returns undefined: there is no such tool. Refusals are results too, for whoever called it to act on.
 */
export async function callTool(
  caller: McpCaller,
  name: string,
  input: Record<string, unknown>,
  failed: (error: AppError) => void,
): Promise<ToolResult | undefined> {
  const tool = tools.find(([known]) => known === name)?.[1];
  if (!tool) return undefined;
  try {
    const { body, hasMore } = await caller.call(tool.call, { params: paramsIn(tool, input), fields: input });
    return toResult(recordOf(body, hasMore));
  } catch (error) {
    const known = asAppError(error);
    if (known.code === 'INTERNAL_ERROR') failed(known);
    return { ...toResult({ ...known.body(undefined) }), isError: true };
  }
}

/** A parameter that is missing, or no text, is answered like one that leads to nothing. */
function paramsIn({ call, names }: McpTool, input: Record<string, unknown>): Record<string, string> {
  const found = Object.keys(call.params ?? {}).map((param) => {
    const value = input[names?.[param] ?? param];
    return [param, typeof value === 'string' ? value : ''];
  });
  return Object.fromEntries(found);
}

const recordSchema = z.record(z.string(), z.unknown());

/** Structured content is an object: a list stands in one. */
function recordOf(body: unknown, hasMore: boolean | undefined): Record<string, unknown> {
  const record = Array.isArray(body) ? undefined : recordSchema.safeParse(body).data;
  return record ?? { items: body, ...(hasMore === undefined ? {} : { hasMore }) };
}

function toResult(record: Record<string, unknown>): ToolResult {
  return { content: [{ type: 'text', text: JSON.stringify(record) }], structuredContent: record };
}
