import { escapeHtml } from './compiled-text';

const FONT = "font-family:-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif;font-size:16px;line-height:24px;color:#18181b";

const BEFORE_SUBJECT = `<!doctype html>
<html>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<title>`;

const AFTER_SUBJECT = `</title>
</head>
<body style="margin:0;padding:0;background:#f4f4f5">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="background:#f4f4f5">
<tr><td align="center" style="padding:24px 12px">
<table role="presentation" width="600" cellpadding="0" cellspacing="0" border="0" style="width:100%;max-width:600px;background:#ffffff">
<tr><td style="padding:32px 32px 16px;${FONT}">
`;

const AFTER_BODY = `</td></tr>
</table>
</td></tr>
</table>
</body>
</html>
`;

/**
 * A whole document around a mail's body, without a brand: one white column on a light ground, built of tables and inline
 * styles, which every mail client understands. `body` is HTML, `subject` text.
 */
export function frameEmail(subject: string, body: string): string {
  return BEFORE_SUBJECT + escapeHtml(subject) + AFTER_SUBJECT + body + AFTER_BODY;
}
