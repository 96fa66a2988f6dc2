"""Bodies, contacts and ground as shapes in space: pictures, playback, glTF."""

from locomotor.viewing.scene.drawing import Part as Part
from locomotor.viewing.scene.drawing import draw_contact as draw_contact
from locomotor.viewing.scene.drawing import numbers as numbers
from locomotor.viewing.scene.glb import to_glb as to_glb
from locomotor.viewing.scene.materials import MATERIALS as MATERIALS
from locomotor.viewing.scene.materials import colours as colours
from locomotor.viewing.scene.mesh import Mesh as Mesh
from locomotor.viewing.scene.mesh import is_faceted as is_faceted
from locomotor.viewing.scene.mesh import welded as welded
from locomotor.viewing.scene.picture import FRONT as FRONT
from locomotor.viewing.scene.picture import TOP as TOP
from locomotor.viewing.scene.picture import Pixels as Pixels
from locomotor.viewing.scene.picture import View as View
from locomotor.viewing.scene.picture import painted as painted
from locomotor.viewing.scene.picture import picture as picture
from locomotor.viewing.scene.picture import usual_view as usual_view
from locomotor.viewing.scene.picture_file import write_picture as write_picture
from locomotor.viewing.scene.playback import MEGABYTES as MEGABYTES
from locomotor.viewing.scene.playback import Playback as Playback
from locomotor.viewing.scene.playback import playback_of as playback_of
from locomotor.viewing.scene.playback import rotate as rotate
from locomotor.viewing.scene.scene import Scene as Scene
from locomotor.viewing.scene.skin import RAMP as RAMP
from locomotor.viewing.scene.soft import drawn as drawn
from locomotor.viewing.scene.soft import is_station as is_station
