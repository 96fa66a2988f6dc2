"""The 3D page: what it is told and how it is drawn."""

from locomotor.viewing.page.bundle import bundle as bundle
from locomotor.viewing.page.html import ALONE as ALONE
from locomotor.viewing.page.html import CLIENT as CLIENT
from locomotor.viewing.page.html import assemble as assemble
from locomotor.viewing.page.html import build_page as build_page
from locomotor.viewing.page.html import in_notebook as in_notebook
from locomotor.viewing.page.html import open_page as open_page
from locomotor.viewing.page.html import to_html as to_html
from locomotor.viewing.page.payload import Payload as Payload
from locomotor.viewing.page.payload import payload_of as payload_of
from locomotor.viewing.page.payload import script_json as script_json
from locomotor.viewing.page.renderer import renderer_script as renderer_script
from locomotor.viewing.page.symbols import channel_symbol as channel_symbol
from locomotor.viewing.page.symbols import symbol_html as symbol_html
