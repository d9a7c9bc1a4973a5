/** The colour names of CSS (CSS Color Module Level 4), and its keywords that are used as a colour. */
const NAMES = new Set(
  (
    'aliceblue antiquewhite aqua aquamarine azure beige bisque black blanchedalmond blue blueviolet brown burlywood cadetblue chartreuse ' +
    'chocolate coral cornflowerblue cornsilk crimson cyan darkblue darkcyan darkgoldenrod darkgray darkgreen darkgrey darkkhaki ' +
    'darkmagenta darkolivegreen darkorange darkorchid darkred darksalmon darkseagreen darkslateblue darkslategray darkslategrey ' +
    'darkturquoise darkviolet deeppink deepskyblue dimgray dimgrey dodgerblue firebrick floralwhite forestgreen fuchsia gainsboro ' +
    'ghostwhite gold goldenrod gray green greenyellow grey honeydew hotpink indianred indigo ivory khaki lavender lavenderblush lawngreen ' +
    'lemonchiffon lightblue lightcoral lightcyan lightgoldenrodyellow lightgray lightgreen lightgrey lightpink lightsalmon lightseagreen ' +
    'lightskyblue lightslategray lightslategrey lightsteelblue lightyellow lime limegreen linen magenta maroon mediumaquamarine ' +
    'mediumblue mediumorchid mediumpurple mediumseagreen mediumslateblue mediumspringgreen mediumturquoise mediumvioletred midnightblue ' +
    'mintcream mistyrose moccasin navajowhite navy oldlace olive olivedrab orange orangered orchid palegoldenrod palegreen paleturquoise ' +
    'palevioletred papayawhip peachpuff peru pink plum powderblue purple rebeccapurple red rosybrown royalblue saddlebrown salmon ' +
    'sandybrown seagreen seashell sienna silver skyblue slateblue slategray slategrey snow springgreen steelblue tan teal thistle tomato ' +
    'turquoise violet wheat white whitesmoke yellow yellowgreen transparent currentcolor inherit initial unset'
  ).split(' '),
);

const HEXADECIMAL = /^#(?:[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})$/i;
const FUNCTION = /^(?:rgb|hsl)a?\(([0-9a-z.,%/ -]{1,60})\)$/i;
const ARGUMENT = /^(?:-?[0-9.]{1,10}(?:%|deg|rad|grad|turn)?|none)$/i;

/** Whether a text is a colour in CSS notation: `#9D3789`, `rgb(157, 55, 137)`, `teal`. It is then safe in CSS. */
export function isColor(text: string): boolean {
  const color = text.trim();
  if (HEXADECIMAL.test(color) || NAMES.has(color.toLowerCase())) return true;
  const values = FUNCTION.exec(color)?.[1]
    ?.trim()
    .split(/[ ,/]+/);
  return values !== undefined && (values.length === 3 || values.length === 4) && values.every((value) => ARGUMENT.test(value));
}
